// The catalog of effects, in display order.

import Foundation

/// One effect of the catalog.
///
///     let effect = try Effect.named("x-ray")
///     effect.title                            // "X-Ray"
///     effect.renderer.apply(to: view, intensity: 1, context: context, scratch: scratch)
public struct Effect: Sendable, Identifiable, CustomStringConvertible {
  /// A group of effects in the strip.
  public enum Group: String, CaseIterable, Sendable, Hashable {
    case drawn
    case color
    case light
    case mirrorRoom = "mirror-room"

    public var title: String {
      switch self {
      case .drawn: "Drawn"
      case .color: "Color"
      case .light: "Light"
      case .mirrorRoom: "Mirror Room"
      }
    }
  }

  /// The name in recipes and on the command line, in lowercase. Permanent once released.
  public let identifier: String
  /// The title for people.
  public let title: String
  public let group: Group
  /// Whether a pixel's result depends on other pixels or on its position, so that a part of a picture can't be rendered
  /// without the rest.
  public let isSpatial: Bool
  /// Whether it draws lines or dots, which would be smaller than a pixel of a thumbnail.
  public let hasFinePattern: Bool
  public let renderer: any PixelEffect

  public var id: String { identifier }
  public var description: String { identifier }

  init(
    _ identifier: String, _ title: String, _ group: Group, isSpatial: Bool, hasFinePattern: Bool = false,
    _ renderer: any PixelEffect
  ) {
    self.identifier = identifier
    self.title = title
    self.group = group
    self.isSpatial = isSpatial
    self.hasFinePattern = hasFinePattern
    self.renderer = renderer
  }

  /// All effects in display order.
  public static let all: [Effect] = drawn + color + light + mirrorRoom

  /// The effect of a name: its identifier or title, in any case, with or without spaces and hyphens.
  ///
  /// - Throws: `RecipeError.unknownEffect`, which lists the names.
  public static func named(_ name: String) throws -> Effect {
    func plain(_ text: String) -> String { text.lowercased().filter { !" -_".contains($0) } }
    guard let effect = all.first(where: { plain($0.identifier) == plain(name) || plain($0.title) == plain(name) })
    else {
      throw RecipeError.unknownEffect(name, known: all.map(\.identifier))
    }
    return effect
  }

  // MARK: The list

  // Every effect is listed here and nowhere else; Comic comes first.
  private static let drawn: [Effect] = [
    Effect("comic", "Comic", .drawn, isSpatial: true, hasFinePattern: true, ComicEffect()),
    Effect("pencil", "Pencil", .drawn, isSpatial: true, hasFinePattern: true, PencilEffect()),
    Effect("halftone", "Halftone", .drawn, isSpatial: true, hasFinePattern: true, HalftoneEffect()),
    Effect("pop-art", "Pop Art", .drawn, isSpatial: true, hasFinePattern: true, PopArtEffect()),
    // The identifier keeps its first spelling: identifiers are permanent.
    Effect("pixellate", "Pixelate", .drawn, isSpatial: true, PixelateEffect()),
  ]

  private static let light: [Effect] = [
    Effect("glow", "Glow", .light, isSpatial: true, GlowEffect()),
    Effect("vignette", "Vignette", .light, isSpatial: true, VignetteEffect()),
    Effect("blur", "Blur", .light, isSpatial: true, BlurEffect()),
  ]

  private static let color: [Effect] = [
    colored(.noir, "Noir"), colored(.mono, "Mono"), colored(.silver, "Silver"), colored(.sepia, "Sepia"),
    colored(.vivid, "Vivid"), colored(.warm, "Warm"), colored(.cool, "Cool"), colored(.fade, "Fade"),
    colored(.instant, "Instant"), colored(.thermal, "Thermal"), colored(.xRay, "X-Ray"),
  ]

  private static let mirrorRoom: [Effect] = [
    Effect("mirror", "Mirror", .mirrorRoom, isSpatial: true, MirrorEffect()),
    bent(.bulge, "Bulge"), bent(.pinch, "Pinch"), bent(.twirl, "Twirl"), bent(.fisheye, "Fisheye"),
  ]

  private static func colored(_ look: ColorLook, _ title: String) -> Effect {
    Effect(look.rawValue, title, .color, isSpatial: false, ColorEffect(look))
  }

  private static func bent(_ distortion: Distortion, _ title: String) -> Effect {
    Effect(distortion.rawValue, title, .mirrorRoom, isSpatial: true, DistortionEffect(distortion))
  }
}

extension Effect: Hashable {
  public static func == (one: Effect, other: Effect) -> Bool { one.identifier == other.identifier }
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
