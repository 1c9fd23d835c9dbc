// The preview's paintable: pixel-exact drawing without a copy, and the release of every frame.

import CGtk
import GtkShim
import Testing

@Suite("The preview's paintable", .serialized)
struct PreviewPaintableTests {
  private static let width = 64
  private static let height = 48

  /// Render nodes need GTK's types, which GTK registers when it starts; they don't need a display, and get none.
  private static let hasTypes: Bool = {
    gdk_set_allowed_backends("none")
    gtk_disable_setlocale()
    return gtk_init_check() == 0
  }()

  init() { #expect(Self.hasTypes) }

  /// A frame whose pixels are all different, with padding after each row.
  private final class Pixels {
    let stride = width * 4 + 16
    let memory: UnsafeMutablePointer<UInt8>

    init(seed: UInt8) {
      memory = .allocate(capacity: stride * height)
      for index in 0..<(stride * height) { memory[index] = UInt8(truncatingIfNeeded: index &* 31 &+ Int(seed)) }
    }

    deinit { memory.deallocate() }

    func pixel(_ x: Int, _ y: Int) -> UInt32 {
      let at = y * stride + x * 4
      return UInt32(memory[at + 2]) << 16 | UInt32(memory[at + 1]) << 8 | UInt32(memory[at])
    }
  }

  private func set(_ pixels: Pixels, of paintable: OpaquePointer, stride: Int? = nil) -> Bool {
    pm_preview_paintable_set_frame(
      paintable, pixels.memory, Int32(Self.width), Int32(Self.height), Int32(stride ?? pixels.stride), 7,
      Unmanaged.passRetained(pixels).toOpaque(), { Unmanaged<AnyObject>.fromOpaque($0!).release() }) != 0
  }

  /// The node that GTK would keep for this paintable.
  private func node(_ paintable: OpaquePointer, scale: Double = 1) -> OpaquePointer? {
    let snapshot = gtk_snapshot_new()
    gdk_paintable_snapshot(paintable, snapshot, Double(Self.width) * scale, Double(Self.height) * scale)
    return gtk_snapshot_free_to_node(snapshot)
  }

  /// Draws a node as the software renderer does, and returns the pixels without their fourth byte.
  private func draw(_ node: OpaquePointer) -> [UInt32] {
    let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(Self.width), Int32(Self.height))
    let context = cairo_create(surface)
    gsk_render_node_draw(node, context)
    cairo_destroy(context)
    cairo_surface_flush(surface)
    defer { cairo_surface_destroy(surface) }
    let stride = Int(cairo_image_surface_get_stride(surface))
    guard let data = cairo_image_surface_get_data(surface) else { return [] }
    return (0..<(Self.width * Self.height)).map { index in
      let at = index / Self.width * stride + index % Self.width * 4
      return UInt32(data[at + 2]) << 16 | UInt32(data[at + 1]) << 8 | UInt32(data[at])
    }
  }

  @Test("A frame at its own size is drawn pixel for pixel")
  func exact() throws {
    let paintable = pm_preview_paintable_new()
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    let pixels = Pixels(seed: 1)
    #expect(set(pixels, of: paintable))
    #expect(gdk_paintable_get_intrinsic_width(paintable) == Self.width)
    #expect(pm_preview_paintable_get_time(paintable) == 7)
    let drawn = try #require(node(paintable))
    defer { gsk_render_node_unref(drawn) }
    let result = draw(drawn)
    #expect(result == (0..<(Self.width * Self.height)).map { pixels.pixel($0 % Self.width, $0 / Self.width) })
  }

  @Test("A natural size is kept whatever the frames' size is, and the frame's own size without one")
  func naturalSize() {
    let paintable = pm_preview_paintable_new()
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    let size = { [gdk_paintable_get_intrinsic_width(paintable), gdk_paintable_get_intrinsic_height(paintable)] }
    pm_preview_paintable_set_natural_size(paintable, 32, 24)
    #expect(size() == [32, 24])
    #expect(set(Pixels(seed: 6), of: paintable))
    #expect(size() == [32, 24])
    pm_preview_paintable_set_natural_size(paintable, 0, 0)
    #expect(size() == [64, 48])
  }

  @Test("Nothing is copied: a node draws what is in the memory when it is drawn")
  func noCopy() throws {
    let paintable = pm_preview_paintable_new()
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    let pixels = Pixels(seed: 2)
    #expect(set(pixels, of: paintable))
    let drawn = try #require(node(paintable))
    defer { gsk_render_node_unref(drawn) }
    pixels.memory[0] = 0x11
    pixels.memory[1] = 0x22
    pixels.memory[2] = 0x33
    #expect(draw(drawn).first == 0x332211)
  }

  @Test("Under GL a frame is a texture of its own size, exact whatever its padding is, and nothing is copied")
  func texture() throws {
    let paintable = pm_preview_paintable_new()
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    pm_preview_paintable_set_uses_texture(paintable, 1)
    let pixels = Pixels(seed: 5)
    // A camera's frames have any number there.
    for index in 0..<(Self.width * Self.height) where index % 3 == 0 {
      pixels.memory[index / Self.width * pixels.stride + index % Self.width * 4 + 3] = 0
    }
    #expect(set(pixels, of: paintable))
    // The node is shown three times as large; who scales it is the renderer.
    let large = try #require(node(paintable, scale: 3))
    defer { gsk_render_node_unref(large) }
    let layers = try #require(children(of: large))
    #expect(layers.map { gsk_render_node_get_node_type($0) } == [GSK_COLOR_NODE, GSK_TEXTURE_NODE])
    let texture = try #require(gsk_texture_node_get_texture(layers[1]))
    #expect(gdk_texture_get_width(texture) == Self.width && gdk_texture_get_height(texture) == Self.height)
    let drawn = try #require(node(paintable))
    defer { gsk_render_node_unref(drawn) }
    let again = try #require(children(of: drawn))
    #expect(gsk_texture_node_get_texture(again[1]) == texture, "made once for each frame")
    pixels.memory[0] = 0x11
    pixels.memory[1] = 0x22
    pixels.memory[2] = 0x33
    pixels.memory[3] = 0
    #expect(draw(drawn) == (0..<(Self.width * Self.height)).map { pixels.pixel($0 % Self.width, $0 / Self.width) })
  }

  /// The nodes of a container node.
  private func children(of node: OpaquePointer) -> [OpaquePointer]? {
    guard gsk_render_node_get_node_type(node) == GSK_CONTAINER_NODE else { return nil }
    return (0..<gsk_container_node_get_n_children(node)).compactMap { gsk_container_node_get_child(node, $0) }
  }

  @Test("A frame lives as long as a node that draws it, and not longer", arguments: [false, true])
  func lifetime(usesTexture: Bool) throws {
    let baseline = pm_preview_frames_alive()
    let paintable = pm_preview_paintable_new()
    pm_preview_paintable_set_uses_texture(paintable, usesTexture ? 1 : 0)
    weak var first: Pixels?
    var kept: OpaquePointer?
    do {
      let pixels = Pixels(seed: 3)
      first = pixels
      #expect(set(pixels, of: paintable))
      kept = node(paintable)
    }
    for seed in 4..<20 {
      #expect(set(Pixels(seed: UInt8(seed)), of: paintable))
      let passing = try #require(node(paintable, scale: 0.5))
      _ = draw(passing)
      gsk_render_node_unref(passing)
    }
    let old = try #require(kept)
    #expect(first != nil)
    #expect(pm_preview_frames_alive() == baseline + 2)
    #expect(draw(old).first == first?.pixel(0, 0))
    gsk_render_node_unref(old)
    #expect(first == nil)
    pm_preview_paintable_clear(paintable)
    #expect(pm_preview_paintable_has_frame(paintable) == 0)
    #expect(pm_preview_frames_alive() == baseline)
    g_object_unref(UnsafeMutableRawPointer(paintable))
  }

  @Test("A frame with wrong numbers is given back and not shown")
  func wrongNumbers() {
    let paintable = pm_preview_paintable_new()
    defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
    weak var refused: Pixels?
    do {
      let pixels = Pixels(seed: 9)
      refused = pixels
      #expect(!set(pixels, of: paintable, stride: Self.width * 4 - 4))
      #expect(!set(pixels, of: paintable, stride: Self.width * 4 + 2))
    }
    #expect(refused == nil)
    #expect(pm_preview_paintable_has_frame(paintable) == 0)
  }
}
