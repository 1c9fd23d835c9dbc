// The steps after a camera has closed: the next opening, or a rest that says why nothing is open.

extension CameraStateMachine.Next {
  var configuration: CameraConfiguration {
    switch self {
    case .open(let configuration, _): configuration
    case .reopen(_, let rest), .rest(let rest, _): rest.configuration
    }
  }

  var waiters: [CameraStateMachine.Ticket] {
    switch self {
    case .open(_, let waiters), .rest(_, let waiters): waiters
    case .reopen: []
    }
  }

  /// An opening instead of this. Those who wait for the very same opening go on waiting.
  func replaced(
    by configuration: CameraConfiguration, _ ticket: CameraStateMachine.Ticket
  ) -> (Self, [CameraStateMachine.Answer]) {
    if case .open(configuration, let waiters) = self { return (.open(configuration, waiters + [ticket]), []) }
    return (.open(configuration, [ticket]), CameraStateMachine.refuse(waiters))
  }

  /// A rest instead of this.
  func replaced(
    by rest: CameraStateMachine.Rest, _ waiters: [CameraStateMachine.Ticket]
  ) -> (Self, [CameraStateMachine.Answer]) {
    switch self {
    case .open(_, let overtaken): (.rest(rest, waiters), CameraStateMachine.refuse(overtaken))
    case .reopen: (.rest(rest, waiters), [])
    case .rest(_, let earlier): (.rest(rest, earlier + waiters), [])
    }
  }

  /// The same, with what becomes of those who waited for a rest: an opening instead of it overtakes them.
  func waited(forBy waiters: [CameraStateMachine.Ticket]) -> (Self, [CameraStateMachine.Answer]) {
    switch self {
    case .open, .reopen: (self, CameraStateMachine.refuse(waiters))
    case .rest(let rest, _): (.rest(rest, waiters), [])
    }
  }

  /// The same without one who waited for an opening; `nil` when there is no such.
  func without(_ ticket: CameraStateMachine.Ticket) -> Self? {
    guard case .open(let configuration, var waiters) = self, let index = waiters.firstIndex(of: ticket) else {
      return nil
    }
    waiters.remove(at: index)
    if !waiters.isEmpty { return .open(configuration, waiters) }
    return .rest(CameraStateMachine.Rest(reason: .stopped, configuration: configuration), [])
  }
}

extension CameraStateMachine.Opening {
  /// The rest after this opening has failed.
  func rest(after error: CameraError, _ device: CameraDevice?) -> CameraStateMachine.Rest {
    if let reopened, case .unknownCamera = error {
      // It was there a moment ago.
      return CameraStateMachine.Rest(reason: .unplugged(reopened.id), configuration: configuration)
    }
    return CameraStateMachine.Rest(error, device: device, configuration)
  }
}

extension CameraStateMachine.Rest {
  /// The rest after an error.
  init(_ error: CameraError, device: CameraDevice?, _ configuration: CameraConfiguration) {
    self.configuration = configuration
    reason =
      switch error {
      case .noCamera: .noCamera
      case .permissionDenied, .accessDenied: .permissionDenied(error)
      case .inUse(let camera, let holder): .inUse(camera: camera, holder: holder)
      case .unplugged: .unplugged(device?.id ?? configuration.cameraID)
      default: .failed(error, device: device)
      }
  }

  var status: CameraStatus {
    switch reason {
    case .concealed, .stopped: .interrupted(.suspended)
    case .noCamera: .noCamera
    case .permissionDenied(let error): .permissionDenied(error)
    case .inUse(let camera, let holder): .interrupted(.inUse(camera: camera, holder: holder))
    case .unplugged: .interrupted(.unplugged)
    case .failed(let error, _): .failed(error)
    }
  }

  /// Whether a withdrawn permission explains it: a lent camera goes as if it were unplugged.
  var mayBeRefusal: Bool {
    switch reason {
    case .noCamera, .inUse, .unplugged, .failed: true
    case .concealed, .stopped, .permissionDenied: false
    }
  }

  /// The same request, refused.
  func refused(_ error: CameraError) -> Self {
    CameraStateMachine.Rest(reason: .permissionDenied(error), configuration: configuration)
  }

  enum Following {
    case rest(CameraStateMachine.Rest)
    case open
  }

  /// The effect of a change of devices: the camera that is waited for came, or the one that failed has gone.
  func following(_ list: DeviceList, _ isGone: (CameraDevice) -> Bool) -> Following {
    switch reason {
    case .noCamera where !list.realCameras.isEmpty:
      return .open
    case .permissionDenied where list.realCameras.contains(where: grants):
      return .open
    case .unplugged(let id?):
      // The list may be a moment older than the unplug.
      if let camera = list.camera(id), !isGone(camera) { return .open }
    case .failed(.unknownCamera(let id, _), device: nil) where list.camera(id) != nil:
      return .open
    case .failed(_, let device?) where isGone(device):
      // Whatever it said when it failed, it is gone now; its return is worth another try.
      return .rest(CameraStateMachine.Rest(reason: .unplugged(device.id), configuration: configuration))
    case .failed(.noUsableMode, let device?) where isServed(by: list, instead: device),
      .failed(.unresponsive, let device?) where isServed(by: list, instead: device):
      return .open
    case .concealed, .stopped, .noCamera, .permissionDenied, .inUse, .unplugged, .failed:
      break
    }
    return .rest(self)
  }

  /// Whether the camera that could not be opened can be by now, or another one that was asked for.
  private func isServed(by list: DeviceList, instead device: CameraDevice) -> Bool {
    list.realCameras.contains { camera in
      camera.obstacle == nil && (camera.id == device.id || configuration.cameraID.map(camera.answers(to:)) ?? true)
    }
  }

  /// Whether a camera can be opened that serves the request to which access was refused. While it is refused, the camera
  /// isn't in the list.
  private func grants(_ camera: CameraDevice) -> Bool {
    camera.obstacle == nil
      && (configuration.acceptsOthers || configuration.cameraID.map(camera.answers(to:)) ?? true)
  }
}
