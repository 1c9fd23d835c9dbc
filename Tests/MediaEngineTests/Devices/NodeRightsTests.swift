// Rights to device files, and the reasons why they keep somebody out.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite struct NodeRightsTests {
  private static let users: [UInt32: String] = [0: "root", 1000: "alice", 1001: "bob"]
  private static let groups: [UInt32: String] = [0: "root", 44: "video", 90: "webcams"]
  private static let alice = UserAccount(id: 1000, name: "alice", groups: [1000], listedGroups: [1000])

  private func refusal(_ rights: NodeRights, _ account: UserAccount = alice) -> NodeRefusal {
    rights.refusal(of: account, names: ({ Self.users[$0] }, { Self.groups[$0] }))
  }

  /// An access control list as the kernel gives it out.
  private func list(_ entries: [(tag: UInt8, rights: UInt8, id: UInt32)]) -> [UInt8] {
    [2, 0, 0, 0]
      + entries.flatMap { entry in
        [entry.tag, 0, entry.rights, 0] + (0..<4).map { UInt8(truncatingIfNeeded: entry.id >> (8 * $0)) }
      }
  }

  @Test("The group is the node’s own, whatever it is called")
  func group() {
    let rights = NodeRights(mode: 0o20660, owner: 0, group: 90, list: [])
    #expect(refusal(rights) == .notInGroup("webcams", user: "alice"))
    var added = Self.alice
    added.listedGroups.insert(90)
    #expect(refusal(rights, added) == .inGroupSinceLogin("webcams"))
    added.groups.insert(90)
    #expect(refusal(rights, added) == .policy, "the rights allow it")
  }

  @Test(
    "Nobody is sent into root’s group, nor into one that may only read",
    arguments: [(UInt32(0o20660), UInt32(0)), (0o20640, 44), (0o20600, 44), (0o20660, 4444)])
  func noGroup(mode: UInt32, group: UInt32) {
    #expect(refusal(NodeRights(mode: mode, owner: 0, group: group, list: [])) == .ownerOnly("root"))
  }

  @Test("A node that everybody, or this user, may open is refused by something else")
  func policy() {
    #expect(refusal(NodeRights(mode: 0o20666, owner: 0, group: 44, list: [])) == .policy)
    #expect(refusal(NodeRights(mode: 0o20600, owner: 1000, group: 44, list: [])) == .policy)
    let own = list([(1, 6, .max), (2, 6, 1000), (4, 6, .max), (16, 6, .max), (32, 0, .max)])
    #expect(refusal(NodeRights(mode: 0o20660, owner: 0, group: 44, list: own)) == .policy)
  }

  @Test("A node that udev gave to whoever sits at the computer names them, and the group beside")
  func seat() {
    let bobs = list([(1, 6, .max), (2, 6, 1001), (4, 6, .max), (16, 6, .max), (32, 0, .max)])
    let rights = NodeRights(mode: 0o20660, owner: 0, group: 44, list: bobs)
    #expect(refusal(rights) == .lentToSeat(holder: "bob", group: "video", user: "alice"))
    let without = list([(1, 6, .max), (2, 6, 1001), (4, 0, .max), (16, 6, .max), (32, 0, .max)])
    #expect(
      refusal(NodeRights(mode: 0o20660, owner: 0, group: 44, list: without))
        == .lentToSeat(holder: "bob", group: nil, user: "alice"))
    var added = Self.alice
    added.listedGroups.insert(44)
    #expect(refusal(rights, added) == .inGroupSinceLogin("video"), "the shorter way")
  }

  @Test("The mask of a list limits what it gives")
  func mask() {
    let masked = list([(1, 6, .max), (2, 6, 1001), (4, 6, .max), (8, 6, 90), (16, 4, .max), (32, 0, .max)])
    #expect(refusal(NodeRights(mode: 0o20640, owner: 0, group: 44, list: masked)) == .ownerOnly("root"))
    let open = list([(1, 6, .max), (4, 4, .max), (8, 6, 90), (16, 6, .max), (32, 0, .max)])
    #expect(
      refusal(NodeRights(mode: 0o20660, owner: 0, group: 44, list: open)) == .notInGroup("webcams", user: "alice"))
  }

  @Test("A list that is cut short is read as far as it goes", arguments: 0..<28)
  func cut(length: Int) {
    let whole = list([(1, 6, .max), (2, 6, 1001), (16, 6, .max)])
    let rights = NodeRights(mode: 0o20660, owner: 0, group: 44, list: Array(whole.prefix(length)))
    #expect(rights.users.count == (length >= 20 ? 1 : 0))
  }

  @Test("A real file’s rights are read, and this process’s own user has a name")
  func real() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("photome-node-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    let rights = try #require(NodeRights(file.path))
    #expect(rights.owner == NodeRights.Entry(id: geteuid(), mayOpen: true))
    #expect(rights.groups.first?.mayOpen == false && !rights.everyoneMayOpen)
    #expect(NodeRefusal(file.path) == .policy, "it may be opened")
    #expect(NodeRights(file.path + "-none") == nil)
    #expect(UserAccount.userName(geteuid()) == UserAccount.current.name)
    #expect(UserAccount.current.groups.contains(getegid()))
  }
}
