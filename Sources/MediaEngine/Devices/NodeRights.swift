// Owner, permissions and access control list of a device file, and the reason why they keep a user out.

import CameraCore
import Foundation
import LinuxShim

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The rights to a file, as the kernel checks them: the owner's, those of users and groups by name, everyone's.
struct NodeRights: Equatable, Sendable {
  /// Someone who may or may not read and write.
  struct Entry: Equatable, Sendable {
    var id: UInt32
    var mayOpen: Bool
  }

  var owner: Entry
  /// The file's group first, then those of its access control list.
  var groups: [Entry]
  /// The users of its access control list: udev adds whoever sits at the computer.
  var users: [Entry] = []
  var everyoneMayOpen = false
}

extension NodeRights {
  /// The names of the extended attribute with the list, and of the kinds of its entries (linux/posix_acl.h).
  private static let listAttribute = "system.posix_acl_access"
  private static let (userTag, ownGroupTag, groupTag, maskTag): (UInt16, UInt16, UInt16, UInt16) = (2, 4, 8, 16)
  private static let readAndWrite: UInt16 = 6

  /// - Returns: `nil` when nothing is at the path.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = getxattr(path, Self.listAttribute, &bytes, bytes.count)
    self.init(
      mode: status.st_mode, owner: status.st_uid, group: status.st_gid, list: Array(bytes.prefix(max(0, count))))
  }

  /// - Parameters:
  ///   - mode: The permission bits. With a list, those of the group are the list's mask.
  ///   - list: The attribute's bytes, least significant first: a version of 32 bits, then for each entry its kind and its
  ///     rights with 16 bits each and an ID with 32. Empty without one.
  init(mode: UInt32, owner: UInt32, group: UInt32, list: [UInt8]) {
    func rights(_ shift: UInt32) -> UInt16 { UInt16(mode >> shift & 7) }
    func mayOpen(_ rights: UInt16) -> Bool { rights & Self.readAndWrite == Self.readAndWrite }
    var entries: [(tag: UInt16, rights: UInt16, id: UInt32)] = []
    for start in stride(from: 4, through: list.count - 8, by: 8) {
      func number(_ range: Range<Int>) -> UInt32 {
        range.reversed().reduce(0) { $0 << 8 | UInt32(list[start + $1]) }
      }
      entries.append((UInt16(number(0..<2)), UInt16(number(2..<4)), number(4..<8)))
    }
    let mask = entries.first { $0.tag == Self.maskTag }?.rights ?? 7
    let ownGroup = entries.first { $0.tag == Self.ownGroupTag }?.rights ?? rights(3)
    func named(_ tag: UInt16) -> [Entry] {
      entries.filter { $0.tag == tag }.map { Entry(id: $0.id, mayOpen: mayOpen($0.rights & mask)) }
    }
    self.init(
      owner: Entry(id: owner, mayOpen: mayOpen(rights(6))),
      groups: [Entry(id: group, mayOpen: mayOpen(ownGroup & mask))] + named(Self.groupTag),
      users: named(Self.userTag), everyoneMayOpen: mayOpen(rights(0)))
  }

  /// The reason why the account is kept out.
  ///
  /// - Parameter names: The system's names of users and groups; `nil` for an ID that has none.
  func refusal(
    of account: UserAccount, names: (user: (UInt32) -> String?, group: (UInt32) -> String?)
  ) -> NodeRefusal {
    let groups = groups.filter(\.mayOpen).map(\.id)
    let isAllowed =
      everyoneMayOpen || owner.id == account.id && owner.mayOpen
      || users.contains { $0.id == account.id && $0.mayOpen } || groups.contains(where: account.groups.contains)
    guard !isAllowed else { return .policy }
    // Nobody is made a member of root's group for a camera.
    let joinable = groups.filter { $0 != 0 }.compactMap { id in names.group(id).map { (id: id, name: $0) } }
    if let group = joinable.first(where: { account.listedGroups.contains($0.id) }) {
      return .inGroupSinceLogin(group.name)
    }
    if let holder = users.first(where: \.mayOpen) {
      return .lentToSeat(holder: names.user(holder.id), group: joinable.first?.name, user: account.name)
    }
    if let group = joinable.first { return .notInGroup(group.name, user: account.name) }
    return .ownerOnly(names.user(owner.id) ?? String(owner.id))
  }
}

/// A user of this computer, and the groups that count for a process and for the next login.
struct UserAccount: Equatable, Sendable {
  var id: UInt32
  var name: String
  /// The groups of the process.
  var groups: Set<UInt32>
  /// The groups that the system's user list has.
  var listedGroups: Set<UInt32> = []
}

extension UserAccount {
  /// The user of this process.
  static var current: UserAccount {
    var groups = [gid_t](repeating: 0, count: max(1, Int(getgroups(0, nil))))
    groups = Array(groups.prefix(max(0, Int(getgroups(Int32(groups.count), &groups))))) + [getegid()]
    var account = UserAccount(
      id: geteuid(), name: userName(geteuid()) ?? String(geteuid()), groups: Set(groups))
    var listed = [gid_t](repeating: 0, count: 256)
    var count = Int32(listed.count)
    if getgrouplist(account.name, getegid(), &listed, &count) >= 0 {
      account.listedGroups = Set(listed.prefix(Int(count)))
    }
    return account
  }

  /// The name of a user.
  static func userName(_ id: UInt32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard getpwuid_r(id, &entry, buffer.baseAddress!, buffer.count, &found) == 0, let found else { return nil }
      return String(cString: found.pointee.pw_name)
    }
  }

  /// The name of a group.
  static func groupName(_ id: UInt32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64 << 10) { buffer in
      var entry = group()
      var found: UnsafeMutablePointer<group>?
      guard getgrgid_r(id, &entry, buffer.baseAddress!, buffer.count, &found) == 0, let found else { return nil }
      return String(cString: found.pointee.gr_name)
    }
  }
}

extension NodeRefusal {
  /// The reason why this process can't open a device file; `nil` when nothing is there.
  init?(_ path: String) {
    guard let rights = NodeRights(path) else { return nil }
    self = rights.refusal(of: .current, names: (UserAccount.userName, UserAccount.groupName))
  }
}
