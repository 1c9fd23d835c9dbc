// A process that stands between PhotoMe and a program of someone else, so that nothing of the program outlives its run.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "LinuxShim.h"

// Forked from a process with many threads and never replaced by a program: only async-signal-safe calls are made here.

// The supervisor's descriptors, moved to the lowest numbers so that all others can be closed at once.
enum { CONTROL = 3, REPORT = 4, FIRST_FREE = 5 };

void linux_close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  // Linux before 5.9.
  for (int descriptor = (int)first; descriptor < 65536; descriptor++) close(descriptor);
}

static void reset_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; number++) sigaction(number, &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void limit(int kind, unsigned long long most) {
  struct rlimit now;
  if (getrlimit(kind, &now) != 0) return;
  rlim_t value = (rlim_t)most;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < value) value = now.rlim_max;
  struct rlimit wanted = {value, value};
  setrlimit(kind, &wanted);
}

// The parent of a process by /proc/PID/stat: the second word behind the name, which is in parentheses and may hold some.
static pid_t parent_of(const char *name) {
  char path[64] = "/proc/";
  size_t length = strlen(name);
  if (length > 20) return -1;
  memcpy(path + 6, name, length);
  memcpy(path + 6 + length, "/stat", 6);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[512];
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return -1;
  text[count] = 0;
  char *at = strrchr(text, ')');
  if (!at || at + 4 > text + count) return -1;
  return (pid_t)strtol(at + 4, NULL, 10);
}

struct entry {
  unsigned long long number;
  long long offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

// Sends a signal to every child of this process, those included that became its children when their parents ended.
static void signal_children(int number) {
  int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  pid_t self = getpid();
  _Alignas(struct entry) char buffer[8192];
  long count;
  while ((count = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < count;) {
      struct entry *entry = (struct entry *)(buffer + at);
      at += entry->length;
      if (entry->name[0] < '1' || entry->name[0] > '9') continue;
      if (parent_of(entry->name) == self) kill((pid_t)strtol(entry->name, NULL, 10), number);
    }
  }
  close(folder);
}

// Kills all descendants. Each round makes the children of the killed ones this process's own, until there are none.
static void kill_all(void) {
  for (;;) {
    signal_children(SIGKILL);
    if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD) return;
  }
}

static void tell(int number) {
  ssize_t written = write(REPORT, &number, sizeof number);
  (void)written;
}

static _Noreturn void run(
    const char *program, char *const *arguments, char *const *environment, const char *folder, const char *output,
    const char *errors, const linux_limits *limits, int failure) {
  // The supervisor dies with its descendants; should somebody kill it alone, the program dies as well.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  int input = open("/dev/null", O_RDONLY);
  int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (input >= 0 && out >= 0 && err >= 0 && chdir(folder) == 0) {
    // Above the standard streams, which may be among them.
    int high = fcntl(failure, F_DUPFD_CLOEXEC, 64);
    if (dup2(input, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 && high >= 0) {
      failure = high;
      dup3(failure, 3, O_CLOEXEC);
      failure = 3;
      linux_close_from(4);
      limit(RLIMIT_AS, limits->address_space);
      limit(RLIMIT_FSIZE, limits->file_size);
      limit(RLIMIT_CPU, limits->processor_seconds);
      limit(RLIMIT_NPROC, limits->processes);
      limit(RLIMIT_CORE, 0);
      execve(program, arguments, environment);
    }
  }
  int code = errno;
  ssize_t written = write(failure, &code, sizeof code);
  (void)written;
  _exit(127);
}

static _Noreturn void supervise(
    const char *program, char *const *arguments, char *const *environment, const char *folder, const char *output,
    const char *errors, const linux_limits *limits, int control, int report) {
  // A session of its own: the terminal's signals are PhotoMe's.
  setsid();
  prctl(PR_SET_NAME, "photome-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int high_control = fcntl(control, F_DUPFD, 64), high_report = fcntl(report, F_DUPFD, 64);
  if (high_control < 0 || high_report < 0) _exit(127);
  dup2(high_control, CONTROL);
  dup2(high_report, REPORT);
  linux_close_from(FIRST_FREE);
  reset_signals();
  struct sigaction ignore;
  memset(&ignore, 0, sizeof ignore);
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, NULL);

  int failure[2];
  pid_t child = -1;
  int code = 0;
  if (pipe2(failure, O_CLOEXEC) != 0 || (child = fork()) < 0) {
    tell(errno);
    _exit(127);
  }
  if (child == 0) {
    struct sigaction plain;
    memset(&plain, 0, sizeof plain);
    plain.sa_handler = SIG_DFL;
    sigaction(SIGPIPE, &plain, NULL);
    close(failure[0]);
    run(program, arguments, environment, folder, output, errors, limits, failure[1]);
  }
  close(failure[1]);
  // Ends when the program replaces the child.
  ssize_t told = read(failure[0], &code, sizeof code);
  close(failure[0]);
  tell(told == sizeof code ? code : 0);
  if (told == sizeof code) {
    kill_all();
    _exit(127);
  }
  for (;;) {
    int status;
    pid_t ended;
    // Orphans are reaped by the way.
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended != child) continue;
      kill_all();
      tell(status);
      _exit(0);
    }
    struct pollfd wait = {CONTROL, POLLIN, 0};
    if (poll(&wait, 1, 10) <= 0) continue;
    char order;
    ssize_t count = read(CONTROL, &order, 1);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count == 1) {
      kill(-child, SIGTERM);
      signal_children(SIGTERM);
      continue;
    }
    // PhotoMe closed it, or has died.
    kill_all();
    tell(SIGKILL);
    _exit(0);
  }
}

int linux_supervise(
    const char *program, char *const *arguments, char *const *environment, const char *folder, const char *output,
    const char *errors, const linux_limits *limits, linux_supervised *result) {
  int control[2], report[2];
  if (pipe2(control, O_CLOEXEC) != 0) return errno;
  if (pipe2(report, O_CLOEXEC) != 0) {
    int code = errno;
    close(control[0]);
    close(control[1]);
    return code;
  }
  pid_t supervisor = fork();
  if (supervisor == 0) {
    supervise(program, arguments, environment, folder, output, errors, limits, control[0], report[1]);
  }
  int code = supervisor < 0 ? errno : 0;
  close(control[0]);
  close(report[1]);
  if (code == 0) {
    ssize_t count;
    do {
      count = read(report[0], &code, sizeof code);
    } while (count < 0 && errno == EINTR);
    if (count != sizeof code) code = ECHILD;
  }
  if (code != 0) {
    close(control[1]);
    close(report[0]);
    if (supervisor > 0) {
      while (waitpid(supervisor, NULL, 0) < 0 && errno == EINTR) {}
    }
    return code;
  }
  fcntl(report[0], F_SETFL, O_NONBLOCK);
  result->supervisor = supervisor;
  result->control = control[1];
  result->report = report[0];
  return 0;
}
