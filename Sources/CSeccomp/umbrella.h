// libseccomp: the system calls that a process may make from now on.
#include <seccomp.h>
