// What Swift's Glibc module does not show of Linux.
#ifndef LINUX_SHIM_H
#define LINUX_SHIM_H

/// Renames `from` to `to` in one step unless something has the name `to` already.
///
/// Thread: any. Ownership: both strings stay the caller's. Failure: -1 with errno, EEXIST when the name is taken, EINVAL
/// when the file system can't do it. Why: renameat2(2) is declared for _GNU_SOURCE only, which Swift does not define.
int linux_rename_new(const char *_Nonnull from, const char *_Nonnull to);

#endif
