// Cameras made of device nodes: which are listed, in which order, and under which ids.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite("V4L2 cameras")
struct V4L2CamerasTests {
  private static let size = PixelSize(width: 640, height: 480)

  private func node(
    _ number: Int, device: String? = "usb-1", serial: String? = nil, byID: String? = nil, byPath: String? = nil
  ) -> NodeIdentity {
    NodeIdentity(
      path: "/dev/video\(number)", name: "Webcam", device: device, usbID: device == nil ? nil : "046d:0825",
      serial: serial, byID: byID, byPath: byPath)
  }

  private func answer(_ encodings: FrameEncoding..., others: [String] = [], inGraph: Bool = false) -> NodeAnswer {
    .camera(
      NodeDescription(
        card: "Webcam", bus: "usb-0000:00:14.0-1",
        formats: encodings.map { CameraFormat(encoding: $0, size: Self.size, frameRates: [FrameRate(30)]) },
        otherModes: others, isPartOfMediaGraph: inGraph))
  }

  private func paths(_ nodes: (NodeIdentity, NodeAnswer)...) -> [String] {
    V4L2Cameras.arrange(nodes).cameras.map(\.path)
  }

  @Test(
    "A name that uvcvideo says twice is shown once",
    arguments: [
      ("Integrated Camera: Integrated C", "Integrated Camera"), ("C920: C920", "C920"), ("Webcam", "Webcam"),
      ("Logitech: BRIO", "Logitech: BRIO"), (": x", ": x"),
      ("A very long name of a camera XY: ", "A very long name of a camera XY"),
      ("Laptop: Laptop Infrared", "Laptop: Laptop Infrared"),
    ])
  func displayNames(card: String, name: String) { #expect(CameraNaming.displayName(of: card) == name) }

  @Test("Beside ordinary pictures, infrared, H.264 and metadata nodes of the same device are hidden")
  func hidden() {
    let look = V4L2Cameras.arrange([
      (node(0), answer(.raw("GRAY8"))), (node(1), answer(.motionJPEG)), (node(2), answer(.h264)),
      (node(3), answer()), (node(4), answer(others: ["Y10 640x480"])),
    ])
    #expect(look.cameras.map(\.path) == ["/dev/video1"])
    #expect(look.hiddenPaths == ["/dev/video0", "/dev/video2", "/dev/video4"])
  }

  @Test("Alone, gray, Bayer and H.264 cameras are cameras, after those with ordinary pictures")
  func alone() {
    #expect(paths((node(0), answer(.raw("GRAY8")))) == ["/dev/video0"])
    #expect(
      paths(
        (node(0, device: "a"), answer(.raw("GRAY8"))), (node(1, device: "b"), answer(others: ["Y10 640x480"])),
        (node(2, device: "c"), answer(.bayer("rggb"))), (node(3, device: "d"), answer(.motionJPEG)))
        == ["/dev/video3", "/dev/video2", "/dev/video0", "/dev/video1"])
  }

  @Test("A camera without a usable mode is listed once, with what it offers")
  func unusable() throws {
    let look = V4L2Cameras.arrange([
      (node(0), answer(others: ["10-bit Bayer up to 1280x720"])), (node(1), answer(others: ["10-bit Bayer 640x480"])),
    ])
    let camera = try #require(look.cameras.first?.device)
    #expect(look.cameras.count == 1)
    #expect(camera.obstacle == .noUsableMode(offered: ["10-bit Bayer up to 1280x720"], package: nil))
    #expect(throws: CameraError.noUsableMode(camera: "Webcam", offered: ["10-bit Bayer up to 1280x720"])) {
      throw try #require(camera.obstacleError)
    }
  }

  @Test("The many raw nodes of a device that libcamera sets up are no cameras")
  func mediaGraph() {
    #expect(
      paths(
        (node(0), answer(others: ["10-bit Bayer"], inGraph: true)), (node(1), answer(.bayer("rggb"), inGraph: true)))
        == [])
    #expect(paths((node(0), answer(.raw("NV12"), inGraph: true))) == ["/dev/video0"])
  }

  @Test("A device that doesn't answer is listed once, under the name that the system has for it")
  func unanswered() {
    let look = V4L2Cameras.arrange([
      (node(0), .unanswered), (node(1), .unanswered), (node(2, device: "usb-2"), answer(.motionJPEG)),
    ])
    #expect(look.cameras.map(\.path) == ["/dev/video2", "/dev/video0"])
    #expect(look.cameras.last?.device.obstacle == .unresponsive)
    #expect(look.cameras.last?.device.name == "Webcam (/dev/video0)")
    #expect(
      look.cameras.last?.device.obstacleError?.description
        == "“Webcam (/dev/video0)” isn’t responding. Unplug it, plug it back in, and try again.")
    // Its metadata node may hang alone.
    #expect(paths((node(0), answer(.motionJPEG)), (node(1), .unanswered)) == ["/dev/video0"])
  }

  @Test("A camera that can be opened once only is listed while another program has it, as in use")
  func busy() throws {
    #expect(NodeAnswer(openingFailure: EBUSY) == .busy && NodeAnswer(openingFailure: ENODEV) == .nothing)
    #expect(NodeAnswer(openingFailure: EACCES) == .refused && NodeAnswer(openingFailure: EPERM) == .refused)
    let look = V4L2Cameras.arrange([
      (node(0), .busy), (node(1), .busy), (node(2, device: "usb-2"), answer(.motionJPEG)),
    ])
    #expect(look.cameras.map(\.path) == ["/dev/video2", "/dev/video0"])
    let camera = try #require(look.cameras.last?.device)
    #expect(camera.obstacle == .inUse && camera.obstacleError == .inUse(camera: "Webcam (/dev/video0)"))
  }

  @Test("One that was asked before keeps its modes and its id while it is in use: it may be this program's own")
  func busyOfOurs() {
    let probes = NodeProbes(limit: .seconds(600)) { _ in .nothing }
    let (camera, other) = (node(0, byPath: "pci-usb-1"), node(2, device: "usb-2"))
    let before = probes.remembering([(camera, answer(.motionJPEG)), (other, .busy)])
    #expect(before.map(\.1) == [answer(.motionJPEG), .busy])
    for _ in 0..<2 {
      let now = probes.remembering([(camera, .busy), (other, .busy)])
      #expect(now.map(\.1) == [answer(.motionJPEG), .busy])
    }
    // Unplugged, and something else in its place.
    _ = probes.remembering([(other, .busy)])
    #expect(probes.remembering([(camera, .busy)]).map(\.1) == [.busy])
  }

  @Test("Nodes that may not be opened are told, and others left out")
  func refused() {
    let look = V4L2Cameras.arrange([(node(0), .refused), (node(1), .nothing)])
    #expect(look.cameras.isEmpty)
    #expect(look.refusedPaths == ["/dev/video0"])
  }

  // MARK: Ids

  private func ids(_ nodes: NodeIdentity...) -> [String] {
    V4L2Cameras.arrange(nodes.map { ($0, answer(.motionJPEG)) }).cameras.map(\.device.id)
  }

  @Test("With a serial number the id stays in another plug, with and without udev")
  func serial() {
    let here = node(0, device: "usb-1", serial: "42", byID: "usb-Webcam_42-video-index0", byPath: "pci-usb-1")
    let there = node(3, device: "usb-2", serial: "42", byID: "usb-Webcam_42-video-index0", byPath: "pci-usb-2")
    #expect(ids(here) == ["v4l2:usb-Webcam_42-video-index0"])
    #expect(ids(here) == ids(there))
    #expect(ids(node(0, serial: "42")) == ids(node(3, device: "usb-2", serial: "42")))
  }

  @Test("Two of one model without serial numbers keep their plugs' ids, whichever has udev's common link")
  func plugs() {
    let (left, right) = (node(0, device: "a", byPath: "pci-usb-1"), node(2, device: "b", byPath: "pci-usb-2"))
    #expect(ids(left, right) == ["v4l2:pci-usb-1", "v4l2:pci-usb-2"])
    var linked = left
    linked.byID = "usb-Webcam-video-index0"
    #expect(ids(linked, right) == ids(left, right))
    #expect(ids(linked) == ["v4l2:pci-usb-1"])
    // The id that it once had still finds it.
    let camera = V4L2Cameras.arrange([(linked, answer(.motionJPEG))]).cameras.first?.device
    #expect(camera?.answers(to: "v4l2:usb-Webcam-video-index0") == true)
  }

  @Test("A serial number that two devices have is none; that of two nodes of one device is one")
  func sharedSerial() {
    let (left, right) = (
      node(0, device: "a", serial: "SN0001", byID: "usb-Webcam_SN0001", byPath: "pci-usb-1"),
      node(2, device: "b", serial: "SN0001", byPath: "pci-usb-2")
    )
    #expect(ids(left, right) == ["v4l2:pci-usb-1", "v4l2:pci-usb-2"])
    let second = node(1, device: "a", serial: "SN0001", byID: "usb-Webcam_SN0001-index1", byPath: "pci-usb-1-index1")
    #expect(ids(left, second) == ["v4l2:usb-Webcam_SN0001", "v4l2:usb-Webcam_SN0001-index1"])
  }

  @Test("A camera that udev is still naming is left for the next scan")
  func unnamed() {
    var fresh = node(0)
    fresh.isFresh = true
    let look = V4L2Cameras.arrange([(fresh, answer(.motionJPEG))])
    #expect(look.cameras.isEmpty && look.hasUnnamed)
    fresh.byPath = "pci-usb-1"
    #expect(V4L2Cameras.arrange([(fresh, answer(.motionJPEG))]).cameras.count == 1)
    fresh.serial = "42"
    #expect(V4L2Cameras.arrange([(fresh, answer(.motionJPEG))]).hasUnnamed, "the link with the serial number comes")
  }

  // MARK: What is opened instead

  @Test("A camera that is there is never called missing")
  func substitutes() throws {
    let nodes = [
      (node(0, device: "a"), answer(others: ["Y10 640x480"])), (node(1, device: "b"), NodeAnswer.unanswered),
    ]
    let obstructed = V4L2Cameras.arrange(nodes).cameras.map(\.device)
    var good = obstructed[0]
    (good.id, good.obstacle) = ("good", nil)
    func substitute(_ id: String?, others: Bool, _ cameras: [CameraDevice]) throws -> CameraDevice {
      try CameraOpener.substitute(
        for: CameraConfiguration(cameraID: id, acceptsOthers: others), among: cameras, refusedPaths: [])
    }
    #expect(try substitute(nil, others: false, obstructed) == obstructed[0])
    #expect(try substitute(nil, others: false, obstructed + [good]) == good)
    #expect(try substitute(obstructed[1].id, others: true, obstructed + [good]) == obstructed[1])
    #expect(try substitute("gone", others: true, obstructed + [good]) == good)
    #expect(throws: CameraError.noCamera) { try substitute(nil, others: false, []) }
    #expect(throws: CameraError.unknownCamera(id: "gone", known: ["good", "test"])) {
      try substitute("gone", others: false, [good])
    }
    #expect(throws: CameraError.permissionDenied(camera: "/dev/video-none")) {
      try CameraOpener.substitute(for: CameraConfiguration(), among: [], refusedPaths: ["/dev/video-none"])
    }
  }

  @Test(
    "A node is fresh for three seconds, and not if its time is ahead of the clock",
    arguments: [(0, true), (2, true), (3, false), (7200, false), (-1, false), (-7200, false)])
  func freshness(age: Int, isFresh: Bool) {
    #expect(NodeIdentity.isFresh(1_795_000_000 - age, now: 1_795_000_000) == isFresh)
  }
}
