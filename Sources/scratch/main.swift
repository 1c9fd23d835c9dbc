import CameraCore
import CGStreamer
import Foundation
@testable import MediaEngine


func say(_ t: String) { FileHandle.standardOutput.write(Data((t + "\n").utf8)) }
let args = Array(CommandLine.arguments.dropFirst())
func opt(_ n: String) -> String? { args.firstIndex(of: "--" + n).flatMap { $0 + 1 < args.count ? args[$0 + 1] : nil } }
let folder = URL(fileURLWithPath: opt("out") ?? "/tmp/eng/out")
try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let limits = EngineLimits().times(Double(opt("slow") ?? "1") ?? 1)
let t0 = MonotonicTime.now
func ms() -> String { String(format: "%7.1f", (MonotonicTime.now - t0).seconds * 1000) }
let engine = CameraEngine(limits: limits)

func cmdDevices() async {
  let l = await engine.devices()
  for c in l.cameras { say("\(ms()) \(c.id) | \(c.name) | \(c.kind)"); if opt("formats") != nil { for f in c.formats { say("   \(f) \(f.frameRates)") } } }
  for m in l.microphones { say("\(m.id) | \(m.name) | default \(m.isDefault)") }
  say("\(await engine.missingParts()) \(await engine.liveCapability())")
}
func shot(_ live: Bool, _ n: Int) async {
  let pressed = MonotonicTime.now
  do {
    for try await e in engine.capture(PhotoSettings(isLive: live, pressed: pressed, movieFolder: folder)) {
      let d = String(format: "%.1f", (MonotonicTime.now - pressed).seconds * 1000)
      switch e {
      case .willBegin(let r): say("\(ms()) [\(n)] willBegin \(r.id) still \((pressed - r.stillTime).seconds*1000) ms before, \(r.size) mic \(r.microphone?.id ?? "-")")
      case .thumbnail(let t): say("\(ms()) [\(n)] thumbnail \(t.count) after \(d)")
      case .photo(let p): say("\(ms()) [\(n)] photo \(p.jpeg.count) after \(d)"); try p.jpeg.write(to: folder.appending(path: "shot\(n).jpg"))
      case .movieRecorded: say("\(ms()) [\(n)] recorded after \(d)")
      case .movie(let m):
        say("\(ms()) [\(n)] movie \(m.duration) at \(m.photoDisplayTime) sound \(m.hasSound) after \(d)")
        let to = folder.appending(path: "shot\(n).mp4"); try? FileManager.default.removeItem(at: to); try FileManager.default.moveItem(at: m.url, to: to)
      default: break
      }
    }
  } catch { say("\(ms()) [\(n)] ERROR \(error)") }
}
func cmdCapture() async {
  let listen = Task { for await n in engine.notices() { 
    switch n { case .devices(let l): say("\(ms()) NOTICE devices \(l.cameras.map(\.id)) \(l.microphones.map(\.id))"); case .status(.running(let s)): say("\(ms()) NOTICE running \(s.camera.id) \(s.format) \(s.frameRate)"); default: say("\(ms()) NOTICE \(n)") } } }
  defer { listen.cancel() }
  let enc: FrameEncoding? = opt("encoding").map { $0 == "MJPG" ? .motionJPEG : .raw($0) }
  let cfg = CameraConfiguration(cameraID: opt("camera"), size: opt("size").flatMap { PixelSize($0) }, sizeIsExact: opt("size") != nil, encoding: enc)
  do {
    let s = try await engine.start(cfg)
    say("\(ms()) started \(s.camera.id) \(s.format) @\(s.frameRate)")
    let live = opt("live") != nil
    if live {
      let mic: MicrophoneChoice = switch opt("mic") { case nil: .automatic; case "none": .none; case let m?: .device(m) }
      say("\(ms()) sound \(await engine.setLive(true, microphone: mic))")
      await engine.waitForPreRoll()
      say("\(ms()) pre-roll, ring \(engine.ringByteCount)")
    }
    if let target = opt("target").flatMap({ PixelSize($0) }) { 
      engine.preview.setTarget(target)
      engine.preview.setFrameHandler { if let f = engine.preview.takeFrame() { engine.preview.markShown(f.time, at: .now) } }
    }
    try? await Task.sleep(nanoseconds: 300_000_000); let before = engine.preview.statistics
    let count = Int(opt("count") ?? "1") ?? 1
    let interval = Double(opt("interval") ?? "0.5") ?? 0.5
    await withTaskGroup(of: Void.self) { g in
      for n in 0..<count {
        if n > 0 { try? await Task.sleep(nanoseconds: UInt64(interval * 1e9)) }
        g.addTask { await shot(live, n) }
      }
    }
    if let hold = opt("hold").flatMap({ Double($0) }) { try? await Task.sleep(nanoseconds: UInt64(hold * 1e9)) }
    let after = engine.preview.statistics; say("\(ms()) ring \(engine.ringByteCount) \(after) lost \((after.arrived - before.arrived) - (after.converted - before.converted))")
    await engine.stop()
    say("\(ms()) stopped ring \(engine.ringByteCount) pipelines \(Pipeline.liveCount("camera"))")
  } catch { say("\(ms()) FAILED \(error)") }
}
func cmdWatch() async {
  let listen = Task { for await n in engine.notices() { 
    switch n { case .devices(let l): say("\(ms()) NOTICE devices \(l.cameras.map(\.id)) \(l.microphones.map(\.id))"); case .status(.running(let s)): say("\(ms()) NOTICE running \(s.camera.id) \(s.format) \(s.frameRate)"); default: say("\(ms()) NOTICE \(n)") } 
    // Resumes by itself when the camera is back.
    if case .devices(let l) = n, let id = opt("camera"), l.camera(id) != nil, let again = opt("again") { Task { _ = again; do { let s = try await engine.start(CameraConfiguration(cameraID: id)); say("\(ms()) restarted \(s.format)") } catch { say("\(ms()) restart failed \(error)") } } }
  } }
  defer { listen.cancel() }
  do { let s = try await engine.start(CameraConfiguration(cameraID: opt("camera"))); say("\(ms()) started \(s.camera.id) \(s.format)") } catch { say("\(ms()) FAILED \(error)") }
  if opt("live") != nil { say("\(await engine.setLive(true, microphone: .automatic))") }
  engine.preview.setTarget(PixelSize(width: 640, height: 360))
  engine.preview.setFrameHandler { if let f = engine.preview.takeFrame() { engine.preview.markShown(f.time, at: .now) } }
  if opt("shoot") != nil { Task { while true { await shot(true, 0); try await Task.sleep(nanoseconds: 100_000_000) } } }
  for _ in 0..<Int(opt("hold") ?? "10")! { try? await Task.sleep(nanoseconds: 1_000_000_000); say("\(ms()) ring \(engine.ringByteCount) \(engine.preview.statistics)") }
  await engine.stop()
  say("\(ms()) stopped ring \(engine.ringByteCount) pipelines \(Pipeline.liveCount("camera"))")
}
func cmdLoop() async {
  let l = await engine.devices()
  let cams = l.cameras.filter { opt("camera") == nil || $0.id == opt("camera") }
  var ok = 0, bad = 0
  let n = Int(opt("count") ?? "20")!
  var g = SystemRandomNumberGenerator()
  for _ in 0..<n {
    let c = cams.randomElement(using: &g)!, f = c.formats.randomElement(using: &g)!
    engine.preview.setTarget(PixelSize(width: 640, height: 360))
    let t = MonotonicTime.now
    do { let s = try await engine.start(CameraConfiguration(cameraID: c.id, size: f.size, sizeIsExact: true, encoding: f.encoding)); ok += 1; say("\(ms()) ok \(s.camera.id) \(s.format) after \((MonotonicTime.now - t).seconds)") } catch { bad += 1; say("\(ms()) BAD \(c.id) \(f): \(error) after \((MonotonicTime.now - t).seconds)") }
    if Bool.random() { await shot(false, 0) }
    if Int.random(in: 0..<3) == 0 { await engine.stop() }
    if let p = opt("pause").flatMap({ Double($0) }) { try? await Task.sleep(nanoseconds: UInt64(Double.random(in: 0...p) * 1e9)) }
  }
  await engine.stop()
  say("ok \(ok) bad \(bad) pipelines \(Pipeline.liveCount("camera"))")
}
func cpu() -> Double { var u = rusage(); getrusage(RUSAGE_SELF.rawValue == 0 ? 0 : 0, &u); return Double(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + Double(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6 }
func rss() -> Int { let t = try! String(contentsOfFile: "/proc/self/status", encoding: .utf8); return Int(t.split(separator: "\n").first { $0.hasPrefix("VmRSS") }!.split(separator: " ").dropLast().last!.filter(\.isNumber))! }
func cmdPerf() async {
  let enc: FrameEncoding? = opt("encoding").map { $0 == "MJPG" ? .motionJPEG : .raw($0) }
  let size = PixelSize(opt("size") ?? "1920x1080")!
  do { try await engine.start(CameraConfiguration(cameraID: opt("camera") ?? "test", size: size, sizeIsExact: true, encoding: enc)) } catch { say("\(error)"); return }
  if opt("live") != nil { _ = await engine.setLive(true, microphone: opt("mic") == "none" ? .none : .device(opt("mic") ?? "test")) }
  if opt("mirror") != nil { engine.preview.setMirrored(true) }
  if let t = opt("target").flatMap({ PixelSize($0) }) {
    engine.preview.setTarget(t)
    engine.preview.setFrameHandler { if let f = engine.preview.takeFrame() { engine.preview.markShown(f.time, at: .now) } }
  }
  try? await Task.sleep(nanoseconds: 2_000_000_000)
  let s0 = engine.preview.statistics, c0 = cpu()
  try? await Task.sleep(nanoseconds: UInt64((Double(opt("hold") ?? "5")!) * 1e9))
  let s1 = engine.preview.statistics, c1 = cpu()
  say("\(args.joined(separator: " ")): \(String(format: "%.2f", (c1 - c0) * 1000 / Double(s1.arrived - s0.arrived))) ms a frame, arrived \(s1.arrived - s0.arrived) converted \(s1.converted - s0.converted), ring \(engine.ringByteCount), rss \(rss() / 1024) MB")
  await engine.stop()
}
switch args.first {
case "perf": await cmdPerf()
case "watch": await cmdWatch()
case "loop": await cmdLoop()
case "devices": await cmdDevices()
case "capture": await cmdCapture()
default: await cmdCapture()
}

say("rss \(rss() / 1024)")
if opt("leaks") != nil { try? await Task.sleep(nanoseconds: 500_000_000); gst_deinit() }
