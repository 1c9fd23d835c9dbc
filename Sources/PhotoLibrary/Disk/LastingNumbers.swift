// File systems on which an inode number belongs to a file for good.

/// Those that keep inode numbers on the disk. FAT and exFAT count them anew at each mount, a share may do so, and FUSE's
/// are anything.
enum LastingNumbers {
  /// The magic numbers of statfs(2) and of the kernel's `fs/*/super.c`.
  static let magic: Set<Int> = [
    0xef53,  // ext2, ext3, ext4
    0x5846_5342,  // XFS
    0x9123_683e,  // btrfs
    0xf2f5_2010,  // F2FS
    0xca45_1a4e,  // bcachefs
    0x2fc1_2fc1,  // ZFS
    0x3153_464a,  // JFS
    0x3434,  // NILFS 2
    0x7366_746e,  // NTFS, ntfs3
    0x482b,  // HFS+
    0xf15f,  // eCryptfs
    0x794c_7630,  // overlayfs
    0x0102_1994,  // tmpfs
    0x6969,  // NFS, which has the server's
  ]
}
