// One inotify instance for all libraries of this process: the kernel allows 128 per user.

import Dispatch
import Foundation
import Synchronization

/// Distributes the kernel's events about folders to their listeners.
///
/// Listeners of the same folder share one watch descriptor, and each gets only the events it asked for. Events are read
/// on one queue and delivered in order.
final class InotifyHub: Sendable {
  /// The hub of all libraries.
  static let shared = InotifyHub()

  /// An event of the kernel.
  struct Event: Sendable, Hashable {
    /// The watch descriptor of the folder.
    var watch: Int32
    var mask: UInt32
    /// The name of the entry in the folder; `nil` for the folder itself, and for names that aren't UTF-8.
    var name: String?

    /// The kernel lost events: everything has to be scanned.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
  }

  /// The reason why a folder is not watched.
  enum Failure: Error, Hashable {
    /// The folder doesn't exist or can't be read.
    case noFolder
    /// The kernel has no watch or no instance left.
    case exhausted(limit: String)
  }

  private struct State {
    /// -1 before the first watch.
    var descriptor: Int32 = -1
    var source: (any DispatchSourceRead)?
    var lastNumber: UInt64 = 0
    var listeners: [UInt64: @Sendable ([Event]) -> Void] = [:]
    /// The requested masks by watch and listener.
    var watches: [Int32: [UInt64: UInt32]] = [:]
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "photome.library.inotify")

  /// Delivered to every listener, whatever it asked for.
  private static let always = UInt32(IN_IGNORED | IN_UNMOUNT | IN_Q_OVERFLOW)

  deinit { state.withLock { $0.source?.cancel() } }

  /// A set of watched folders with one callback. Its watches end with it.
  final class Listener: Sendable {
    private let hub: InotifyHub
    private let number: UInt64

    fileprivate init(_ hub: InotifyHub, number: UInt64) { (self.hub, self.number) = (hub, number) }

    deinit { end() }

    /// Watches a folder from now on. A folder that is already watched keeps its descriptor.
    func watch(_ path: String, _ mask: UInt32) -> Result<Int32, Failure> { hub.watch(path, mask, number) }

    func stopWatching(_ watch: Int32) { hub.state.withLock { hub.remove(watch, of: number, &$0) } }

    /// Events that are read from now on aren't delivered anymore.
    func end() { hub.end(number) }
  }

  /// - Parameter events: Called on the hub's queue; must not block.
  func listen(_ events: @escaping @Sendable ([Event]) -> Void) -> Listener {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.listeners[state.lastNumber] = events
      return state.lastNumber
    }
    return Listener(self, number: number)
  }

  /// The descriptor; `nil` before the first watch.
  var descriptor: Int32? { state.withLock { $0.descriptor < 0 ? nil : $0.descriptor } }

  private func watch(_ path: String, _ mask: UInt32, _ listener: UInt64) -> Result<Int32, Failure> {
    // Under the lock: events of a new watch wait until its listener is known.
    state.withLock { state in
      guard state.listeners[listener] != nil else { return .failure(.noFolder) }
      if state.descriptor < 0 {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return .failure(.exhausted(limit: "fs.inotify.max_user_instances")) }
        state.descriptor = descriptor
        state.source = read(descriptor)
      }
      let flags = UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK) | UInt32(IN_MASK_ADD)
      let watch = inotify_add_watch(state.descriptor, path, mask | flags)
      guard watch >= 0 else {
        let isExhausted = errno == ENOSPC || errno == ENOMEM
        return .failure(isExhausted ? .exhausted(limit: "fs.inotify.max_user_watches") : .noFolder)
      }
      state.watches[watch, default: [:]][listener] = mask
      return .success(watch)
    }
  }

  private func remove(_ watch: Int32, of listener: UInt64, _ state: inout State) {
    guard state.watches[watch]?.removeValue(forKey: listener) != nil, state.watches[watch]?.isEmpty == true else {
      return
    }
    state.watches[watch] = nil
    // It may be gone already, with its folder. Descriptors are not reused.
    inotify_rm_watch(state.descriptor, watch)
  }

  private func end(_ listener: UInt64) {
    // What the callback captures is released outside of the lock.
    let events = state.withLock { state in
      for watch in state.watches.keys { remove(watch, of: listener, &state) }
      return state.listeners.removeValue(forKey: listener)
    }
    _ = events
  }

  // MARK: Reading

  private func read(_ descriptor: Int32) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.deliver(Self.readAll(descriptor)) }
    source.setCancelHandler { close(descriptor) }
    source.resume()
    return source
  }

  /// Delivers the events so far, and returns when that is done. Not to be called on the hub's queue.
  func drain() {
    guard let descriptor else { return }
    queue.sync { deliver(Self.readAll(descriptor)) }
  }

  private static func readAll(_ descriptor: Int32) -> [Event] {
    var events: [Event] = []
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
      while let base = buffer.baseAddress {
        let count = Glibc.read(descriptor, base, buffer.count)
        if count <= 0 { break }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = (base + offset).loadUnaligned(as: inotify_event.self)
          let nameStart = offset + MemoryLayout<inotify_event>.size
          let name = UnsafeRawBufferPointer(rebasing: buffer[nameStart..<nameStart + Int(event.len)]).prefix { $0 != 0 }
          events.append(
            Event(
              watch: event.wd, mask: event.mask,
              name: name.isEmpty ? nil : String(validating: name, as: UTF8.self)))
          offset = nameStart + Int(event.len)
        }
      }
    }
    return events
  }

  /// Delivers each event to the listeners that asked for it.
  func deliver(_ events: [Event]) {
    let handed = state.withLock { state in
      var handed: [UInt64: [Event]] = [:]
      for event in events {
        if event.isOverflow {
          for listener in state.listeners.keys { handed[listener, default: []].append(event) }
          continue
        }
        for (listener, mask) in state.watches[event.watch] ?? [:] where event.mask & (mask | Self.always) != 0 {
          handed[listener, default: []].append(event)
        }
        if event.mask & UInt32(IN_IGNORED) != 0 { state.watches[event.watch] = nil }
      }
      return handed.compactMap { listener, events in state.listeners[listener].map { ($0, events) } }
    }
    for (listener, events) in handed { listener(events) }
  }
}
