// Reasons why the system refuses a device file, and the ways to be let in.

import Localization

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
      localized(
        """
        Only members of the group “\(group)” can open “\(device)”. \(Self.joining(group, user))
        """, comment: "{2} is the sentence that begins with “To join”")
    case .inGroupSinceLogin(let group):
      localized(
        """
        Only members of the group “\(group)” can open “\(device)”. You were added to it after you logged in: log out \
        and log in again.
        """)
    case .lentToSeat(let holder?, let group?, let user):
      localized(
        """
        “\(device)” is reserved for the person at this computer’s own screen, currently “\(holder)”. Log in there, or \
        become a member of the group “\(group)”. \(Self.joining(group, user))
        """, comment: "{1} is a user, {3} the sentence that begins with “To join”")
    case .lentToSeat(nil, let group?, let user):
      localized(
        """
        “\(device)” is reserved for the person at this computer’s own screen. Log in there, or become a member of the \
        group “\(group)”. \(Self.joining(group, user))
        """, comment: "{2} is the sentence that begins with “To join”")
    case .lentToSeat(let holder?, nil, _):
      localized(
        """
        “\(device)” is reserved for the person at this computer’s own screen, currently “\(holder)”. Log in there.
        """, comment: "{1} is a user")
    case .lentToSeat(nil, nil, _):
      localized("“\(device)” is reserved for the person at this computer’s own screen. Log in there.")
    case .ownerOnly(let owner):
      localized(
        """
        Only the user “\(owner)” can open “\(device)”. An administrator has to change the permissions of the device.
        """)
    case .policy:
      localized(
        """
        The system denies access to “\(device)” although its permissions allow it: a sandbox or a security policy is in \
        the way. Allow the camera there.
        """)
    }
  }

  private static func joining(_ group: String, _ user: String) -> String {
    localized(
      """
      To join, run “sudo usermod -aG \(group) \(user)” in a terminal, then log out and log in again.
      """)
  }
}
