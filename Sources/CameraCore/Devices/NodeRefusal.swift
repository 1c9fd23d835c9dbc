// Reasons why the system refuses a device file, and the ways to be let in.

/// The reason why a device file that exists can't be opened by this user, found in its owner, its permissions and its access
/// control list.
public enum NodeRefusal: Equatable, Sendable {
  /// Members of the group may open it, and the user isn't one.
  case notInGroup(String, user: String)
  /// The user was added to the group after logging in. A session keeps the groups that it began with.
  case inGroupSinceLogin(String)
  /// It is given to whoever is logged in at the computer itself (udev's `uaccess`), and this session isn't there. `holder` is
  /// the user who has it now, `group` the group whose members may open it as well.
  case lentToSeat(holder: String?, group: String?, user: String)
  /// Only this user may open it.
  case ownerOnly(String)
  /// Its permissions would allow it: a sandbox or a security module refuses it.
  case policy
}

extension NodeRefusal {
  /// What is wrong and what can be done, in sentences.
  ///
  /// - Parameter device: The camera's name, or the path of its device file.
  func explanation(of device: String) -> String {
    switch self {
    case .notInGroup(let group, let user):
      "Only members of the group “\(group)” may open “\(device)”. \(Self.joining(group, user))"
    case .inGroupSinceLogin(let group):
      "Only members of the group “\(group)” may open “\(device)”. You have been added to it since you logged in: "
        + "log out and log in again."
    case .lentToSeat(let holder, let group, let user):
      "“\(device)” is reserved for whoever is logged in at this computer’s own screen"
        + (holder.map { ", at the moment “\($0)”" } ?? "") + ". Log in there"
        + (group.map { ", or become a member of the group “\($0)”. \(Self.joining($0, user))" } ?? ".")
    case .ownerOnly(let owner):
      "Only the user “\(owner)” may open “\(device)”. An administrator has to change the permissions of the device."
    case .policy:
      "The system refuses access to “\(device)” although its permissions allow it: a sandbox or a security policy is in "
        + "the way. Allow the camera there."
    }
  }

  private static func joining(_ group: String, _ user: String) -> String {
    "To join, run “sudo usermod -aG \(group) \(user)” in a terminal, then log out and log in again."
  }
}
