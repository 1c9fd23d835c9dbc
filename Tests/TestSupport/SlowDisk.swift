// A real file system that takes its time: FUSE, served by a program that sleeps before each read.

import Foundation

/// Shows a folder at another place, read-only, and slowly, as a share on a slow network does.
///
/// The program speaks the kernel's FUSE protocol (fs/fuse, include/uapi/linux/fuse.h) itself, so that nothing has to be
/// installed but Python.
public final class SlowDisk {
  /// Where the folder is shown.
  public let folder: URL
  private let delay: URL
  private let server: Process

  /// Whether this process may mount such a file system.
  public static let isPossible =
    Command.canMount && access("/dev/fuse", R_OK | W_OK) == 0 && Command.areInstalled("python3")

  /// - Parameters:
  ///   - source: The folder that is shown.
  ///   - scratch: For the disk's own files.
  public init(of source: URL, in scratch: URL) throws {
    folder = scratch.appendingPathComponent("slow", isDirectory: true)
    delay = scratch.appendingPathComponent("delay")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = scratch.appendingPathComponent("slow.py")
    try Data(Self.program.utf8).write(to: script)
    try Data("0".utf8).write(to: delay)
    let output = Pipe()
    server = Process()
    server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    server.arguments = ["python3", script.path, source.path, folder.path, delay.path]
    server.standardOutput = output
    try server.runAlone()
    // It says so when the folder is mounted.
    guard let line = try output.fileHandleForReading.read(upToCount: 1), !line.isEmpty else {
      throw CommandFailure(output: "The slow disk couldn't be mounted.")
    }
  }

  /// The time that each read of at most 128 KiB takes, from now on.
  public func setDelay(seconds: Double) throws { try Data("\(seconds)".utf8).write(to: delay, options: .atomic) }

  /// Ends the program, as a share's connection is lost: what is there can't be reached, but stays mounted.
  public func disconnect() {
    // Programs that are started by a thread of Dispatch have the other signals blocked.
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
  }

  /// Unmounts it. Reads that wait end with an error.
  public func end() {
    disconnect()
    _ = umount2(folder.path, Int32(MNT_DETACH))
  }

  deinit { end() }

  private static let program = """
    import ctypes, os, stat, struct, sys, threading, time

    source, mount, delay = sys.argv[1:]
    fuse = os.open('/dev/fuse', os.O_RDWR)
    options = b'fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other' % fuse
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b'slow', mount.encode(), b'fuse.slow', 1 | 2 | 4, options) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    paths, numbers, handles = {1: source}, {source: 1}, {}
    lock = threading.Lock()

    def reply(unique, data=b'', error=0):
        try:
            os.write(fuse, struct.pack('<IiQ', 16 + len(data), -error, unique) + data)
        except OSError:
            pass  # whoever asked is gone

    def attributes(number):
        s = os.lstat(paths[number])
        return struct.pack('<QQQQQQIIIIIIIIII', number, s.st_size, s.st_blocks, int(s.st_atime), int(s.st_mtime),
                           int(s.st_ctime), s.st_atime_ns % 10**9, s.st_mtime_ns % 10**9, s.st_ctime_ns % 10**9,
                           s.st_mode, s.st_nlink, s.st_uid, s.st_gid, 0, 4096, 0)

    def number_of(path):
        with lock:
            if path not in numbers:
                numbers[path] = len(numbers) + 1
                paths[numbers[path]] = path
            return numbers[path]

    def read(unique, descriptor, offset, size):
        time.sleep(float(open(delay).read() or 0))
        reply(unique, os.pread(descriptor, size, offset))

    def serve(operation, unique, node, body):
        if operation == 26:  # INIT
            # Its own version, with reads of 128 KiB.
            reply(unique, struct.pack('<IIIIHHIIHHI7I', 7, 31, 131072, 0, 64, 48, 131072, 1, 0, 0, 0, *([0] * 7)))
            sys.stdout.write('!')
            sys.stdout.flush()
        elif operation == 1:  # LOOKUP
            number = number_of(os.path.join(paths[node], os.fsdecode(body.split(b'\\0')[0])))
            reply(unique, struct.pack('<QQQQII', number, 0, 0, 0, 0, 0) + attributes(number))
        elif operation == 3:  # GETATTR
            reply(unique, struct.pack('<QII', 0, 0, 0) + attributes(node))
        elif operation in (14, 27):  # OPEN, OPENDIR
            handle = None
            if operation == 14:
                handle = os.open(paths[node], os.O_RDONLY)
                handles[handle] = handle
            # Nothing that was read before is remembered.
            reply(unique, struct.pack('<QII', handle or 0, 1 if operation == 14 else 0, 0))
        elif operation == 15:  # READ
            handle, offset, size = struct.unpack_from('<QQI', body)
            threading.Thread(target=read, args=(unique, handle, offset, size), daemon=True).start()
        elif operation == 28:  # READDIR
            _, offset, size = struct.unpack_from('<QQI', body)
            names = ['.', '..'] + sorted(os.listdir(paths[node]))
            data = b''
            for index, name in list(enumerate(names))[offset:]:
                name = os.fsencode(name)
                entry = struct.pack('<QQII', 1, index + 1, len(name), 0) + name
                entry += b'\\0' * (-len(entry) % 8)
                if len(data) + len(entry) > size:
                    break
                data += entry
            reply(unique, data)
        elif operation == 18:  # RELEASE
            os.close(handles.pop(struct.unpack_from('<Q', body)[0]))
            reply(unique)
        elif operation in (29, 25, 34):  # RELEASEDIR, FLUSH, ACCESS
            reply(unique)
        elif operation == 17:  # STATFS
            reply(unique, bytes(80))
        elif operation not in (2, 36, 42):  # FORGET, INTERRUPT, BATCH_FORGET have no answer
            reply(unique, error=38)

    while True:
        try:
            request = os.read(fuse, 1 << 20)
        except OSError:
            break
        _, operation, unique, node = struct.unpack_from('<IIQQ', request)
        try:
            serve(operation, unique, node, request[40:])
        except OSError as error:
            reply(unique, error=error.errno)

    """
}
