// File systems on which the kernel doesn't report the changes of others.

import Foundation

/// Network file systems, which other machines change without an inotify event here; FUSE's among them, as `sshfs` and
/// `rclone` are.
enum RemoteFileSystems {
  /// The magic numbers of statfs(2) and of the kernel's `fs/*/super.c`.
  private static let magic: Set<Int> = [
    0x6969,  // NFS
    0x517b, 0xff53_4d42, 0xfe53_4d42,  // SMB, CIFS, SMB 2 and 3
    0x6573_5546,  // FUSE
    0x0102_1997,  // 9P: virtual machines
    0x00c3_6400,  // Ceph
    0x5346_414f, 0x6b41_4653,  // AFS: OpenAFS, kAFS
    0x7375_7245,  // Coda
    0x786f_4256, 0xbacb_acbc,  // VirtualBox and VMware shared folders
    0x0bd0_0bd0,  // Lustre
    0x7461_636f, 0x0116_1970,  // OCFS2, GFS2
  ]

  /// Whether a folder, or the closest one above it that exists, is on such a file system.
  static func has(_ folder: String, disk: Disk) -> Bool {
    guard let path = Disk.nearestFolder(to: folder) else { return false }
    return magic.contains(disk.system.fileSystemType(path))
  }
}
