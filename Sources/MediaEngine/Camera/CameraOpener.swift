// The opening of a camera: it is found, its mode is chosen, and attempts are made until one delivers a frame.

import CameraCore
import Foundation

/// Opens cameras. `OpeningPlan` decides what is tried; this class performs it.
@PipelineActor
final class CameraOpener {
  /// An opening that came to nothing.
  struct Failure: Error {
    var error: CameraError
    /// The camera that was tried, where one was found.
    var device: CameraDevice?
  }

  /// What the opener tells while it works.
  struct Reports {
    /// A camera was found, and is about to be opened.
    var found: @PipelineActor (CameraDevice) -> Void
    /// Its first frame takes long.
    var waits: @PipelineActor (CameraDevice) -> Void
    /// It broke or went away after its first frame, and after it had sent good frames for so long.
    var lost: @PipelineActor (CameraError, CameraDevice, TimeSpan) -> Void
  }

  private let store: CaptureStore
  private let pump: PreviewPump
  private let watcher: DeviceWatcher
  /// Where all cameras are lent.
  private let lent: LentCameras?
  private let limits: EngineLimits
  private let looks: LookBox
  private let test: TestSetup
  private let depth: DepthBoard?

  nonisolated init(
    store: CaptureStore, pump: PreviewPump, watcher: DeviceWatcher, lent: LentCameras?, limits: EngineLimits,
    looks: LookBox, test: TestSetup, depth: DepthBoard? = nil
  ) {
    self.depth = depth
    self.store = store
    self.pump = pump
    self.watcher = watcher
    self.lent = lent
    self.limits = limits
    self.looks = looks
    self.test = test
  }

  /// Opens a camera and returns with its first frame. The task's cancellation makes it fail soon.
  func open(
    _ configuration: CameraConfiguration, _ reports: Reports
  ) async throws(Failure) -> CameraPipeline {
    let device: CameraDevice
    do throws(CameraError) { device = try await find(configuration) } catch {
      throw Failure(error: error, device: nil)
    }
    var plan: OpeningPlan
    do throws(CameraError) { plan = try self.plan(configuration, device) } catch {
      throw Failure(error: await withHolder(error, of: device), device: device)
    }
    reports.found(device)
    let began = MonotonicTime.now
    var attempt = plan.first
    while true {
      do throws(CameraError) {
        if attempt.pause > .zero { try? await Task.sleep(nanoseconds: UInt64(attempt.pause.nanoseconds)) }
        if Task.isCancelled { throw .notRunning }
        return try await begin(attempt.session, reports)
      } catch {
        let reason = error.refined(for: attempt.session.camera, by: watcher.known)
        switch plan.failed(reason, after: MonotonicTime.now - began) {
        case .attempt(let next): attempt = next
        case .giveUp(let told): throw Failure(error: await withHolder(told, of: device), device: device)
        }
      }
    }
  }

  /// Nothing comes from this camera any more, and nothing of it is kept but what shots hold.
  func silence(_ pipeline: CameraPipeline) {
    pipeline.silence()
    store.close()
    pump.reset()
  }

  private func begin(_ session: CameraSession, _ reports: Reports) async throws(CameraError) -> CameraPipeline {
    var socket: OwnedSocket?
    if let lent, case .pipeWire = session.camera.kind { socket = try await lent.connect() }
    let pipeline = try CameraPipeline(
      session, store: store, pump: pump, looks: looks, test: test, socket: socket, depth: depth)
    store.open(session)
    let patience = limits.firstFrameNotice
    let notice = Task { @PipelineActor in
      try? await Task.sleep(nanoseconds: UInt64(patience.nanoseconds))
      if !Task.isCancelled { reports.waits(session.camera) }
    }
    defer { notice.cancel() }
    do throws(CameraError) {
      try await pipeline.start(limits: limits) { [weak pipeline] error in
        reports.lost(error, session.camera, pipeline?.steadySpan ?? .zero)
      }
      return pipeline
    } catch {
      silence(pipeline)
      await pipeline.stop()
      throw error
    }
  }

  private func plan(_ configuration: CameraConfiguration, _ device: CameraDevice) throws(CameraError) -> OpeningPlan {
    if let error = device.obstacleError { throw error }
    let bounds = OpeningPlan.Limits(time: limits.opening, pause: limits.retryPause)
    if let plan = OpeningPlan(configuration, device, limits: bounds) { return plan }
    var offered: [PixelSize] = []
    for format in device.formats where !offered.contains(format.size) { offered.append(format.size) }
    throw .noSuchFormat(camera: device.name, wanted: configuration.size ?? FormatChoice.defaultSize, offered: offered)
  }

  /// The same error with the name of the program that holds the camera, where that can be found out.
  private func withHolder(_ error: CameraError, of device: CameraDevice) async -> CameraError {
    guard case .inUse(let name, nil) = error else { return error }
    let kinds = [device.kind, device.twin?.kind]
    let paths = kinds.compactMap { if case .v4l2(let path) = $0 { path } else { nil } }
    guard let path = paths.first else { return error }
    return .inUse(camera: name, holder: await Blocking.run { DeviceHolder.name(of: path) })
  }

  // MARK: Finding

  /// Finds the camera. One that is named is not looked for anywhere else, unless others will do. A camera that is there and
  /// can't be opened is found too, where no other one serves: the reason is better told than “no camera”.
  private func find(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraDevice {
    let id = configuration.cameraID
    if id == CameraDevice.testID { return TestCamera.device }
    if let camera = Self.pick(id, from: watcher.known?.realCameras ?? []) { return camera }
    // The kernel answers in a millisecond, PipeWire in fifty.
    let watcher = watcher
    let scan = await Blocking.run { watcher.lookAtNodes() }
    let scanned = scan.cameras.map(\.device)
    if let camera = Self.pick(id, from: scanned) { return camera }
    let cameras = await (lent == nil ? watcher.cameras() : watcher.cameras(within: limits.lentCameras))
    if Task.isCancelled { throw .notRunning }
    if let camera = Self.pick(id, from: cameras) { return camera }
    let missed = scanned.filter { camera in !cameras.contains { $0.id == camera.id } }
    return try Self.substitute(for: configuration, among: cameras + missed, refusedPaths: scan.refusedPaths)
  }

  /// What is opened, or told, when the camera that was asked for isn't there or can't be opened.
  nonisolated static func substitute(
    for configuration: CameraConfiguration, among cameras: [CameraDevice], refusedPaths: [String]
  ) throws(CameraError) -> CameraDevice {
    if let id = configuration.cameraID {
      if let camera = cameras.first(where: { $0.answers(to: id) }) { return camera }
      guard configuration.acceptsOthers else {
        throw .unknownCamera(id: id, known: (cameras + [TestCamera.device]).map(\.id))
      }
    }
    if let camera = pick(nil, from: cameras) ?? cameras.first { return camera }
    if let path = refusedPaths.first { throw .permissionDenied(camera: path, refusal: NodeRefusal(path)) }
    throw .noCamera
  }

  /// The camera that is named, else the first, if it can be opened.
  private nonisolated static func pick(_ id: CameraDevice.ID?, from cameras: [CameraDevice]) -> CameraDevice? {
    cameras.first { $0.obstacle == nil && (id.map($0.answers(to:)) ?? true) }
  }
}
