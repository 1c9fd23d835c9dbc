// The catalog of effects, in display order.

import Foundation
import Localization

/// One effect of the catalog.
///
///     let effect = try Effect.named("x-ray")
///     effect.title                            // "X-Ray"
///     effect.renderer.apply(to: view, intensity: 1, context: context, scratch: scratch)
public struct Effect: Sendable, Identifiable, CustomStringConvertible {
  /// A group of effects in the strip.
  public enum Group: String, CaseIterable, Sendable, Hashable {
    case drawn
    case portrait
    case color
    case light
    case mirrorRoom = "mirror-room"

    public var title: String {
      switch self {
      case .drawn: localized("Drawn", context: "group of effects")
      case .portrait: localized("Portrait", context: "group of effects")
      case .color: localized("Color", context: "group of effects")
      case .light: localized("Light", context: "group of effects")
      case .mirrorRoom: localized("Mirror Room", context: "group of effects")
      }
    }
  }

  /// The name in recipes and on the command line, in lowercase. Permanent once released.
  public let identifier: String
  private let localizedTitle: @Sendable () -> String
  public let group: Group
  /// Whether a pixel's result depends on other pixels or on its position, so that a part of a picture can't be rendered
  /// without the rest.
  public let isSpatial: Bool
  /// Whether it draws lines or dots, which would be smaller than a pixel of a thumbnail.
  public let hasFinePattern: Bool
  /// Whether bright parts of a picture stay bright, and where they are, so that its gain map is still true.
  public let keepsLight: Bool
  public let renderer: any PixelEffect

  /// Whether it can be set on the person or the background alone: not when it is about both, or moves pixels from one to the
  /// other.
  public var hasScope: Bool { !renderer.needsMatte && !renderer.movesPixels }

  public var id: String { identifier }
  /// The title for people.
  public var title: String { localizedTitle() }
  public var description: String { identifier }

  /// Whether it puts something else behind the person: see `AdjustmentRecipe.EffectSetting.backdrop`.
  public var hasBackdrop: Bool { renderer is BackdropEffect }

  init(
    _ identifier: String, _ title: @autoclosure @escaping @Sendable () -> String, _ group: Group, isSpatial: Bool,
    hasFinePattern: Bool = false, keepsLight: Bool = false, _ renderer: any PixelEffect
  ) {
    self.identifier = identifier
    localizedTitle = title
    self.group = group
    self.isSpatial = isSpatial
    self.hasFinePattern = hasFinePattern
    self.keepsLight = keepsLight
    self.renderer = renderer
  }

  /// All effects in display order.
  public static let all: [Effect] = drawn + portrait + color + light + mirrorRoom

  /// The effect of a name: its identifier or title, in any case, with or without spaces and hyphens.
  ///
  /// - Throws: `RecipeError.unknownEffect`, which lists the names.
  public static func named(_ name: String) throws -> Effect {
    func plain(_ text: String) -> String { text.lowercased().filter { !" -_".contains($0) } }
    // A title in one language may be the identifier of another effect.
    guard
      let effect = all.first(where: { plain($0.identifier) == plain(name) })
        ?? all.first(where: { plain($0.title) == plain(name) })
    else {
      throw RecipeError.unknownEffect(name, known: all.map(\.identifier))
    }
    return effect
  }

  // MARK: The list

  // Every effect is listed here and nowhere else; Comic comes first.
  private static let drawn: [Effect] = [
    Effect(
      "comic", localized("Comic", context: "effect"), .drawn, isSpatial: true, hasFinePattern: true, ComicEffect()),
    Effect(
      "pencil", localized("Pencil", context: "effect"), .drawn, isSpatial: true, hasFinePattern: true, PencilEffect()),
    Effect(
      "halftone", localized("Halftone", context: "effect"), .drawn, isSpatial: true, hasFinePattern: true,
      HalftoneEffect()),
    Effect(
      "pop-art", localized("Pop Art", context: "effect"), .drawn, isSpatial: true, hasFinePattern: true, PopArtEffect()),
    // The identifier keeps its first spelling: identifiers are permanent.
    Effect("pixellate", localized("Pixelate", context: "effect"), .drawn, isSpatial: true, PixelateEffect()),
  ]

  private static let portrait: [Effect] = [
    Effect("portrait", localized("Portrait", context: "effect"), .portrait, isSpatial: true, PortraitEffect()),
    Effect(
      "backdrop", localized("Backdrop", context: "effect"), .portrait, isSpatial: true,
      BackdropEffect(.standard)),
    Effect(
      "studio", localized("Studio", context: "effect"), .portrait, isSpatial: true, StudioEffect()),
    Effect("stage", localized("Stage", context: "effect"), .portrait, isSpatial: true, StageEffect()),
    Effect(
      "color-pop", localized("Color Pop", context: "effect"), .portrait, isSpatial: true, keepsLight: true,
      ColorPopEffect()),
  ]

  private static let light: [Effect] = [
    Effect("glow", localized("Glow", context: "effect"), .light, isSpatial: true, keepsLight: true, GlowEffect()),
    Effect(
      "vignette", localized("Vignette", context: "effect"), .light, isSpatial: true, keepsLight: true, VignetteEffect()),
    Effect("blur", localized("Blur", context: "effect"), .light, isSpatial: true, BlurEffect()),
  ]

  private static let color: [Effect] = [
    colored(.noir, localized("Noir", context: "effect")), colored(.mono, localized("Mono", context: "effect")),
    colored(.silver, localized("Silver", context: "effect")), colored(.sepia, localized("Sepia", context: "effect")),
    colored(.vivid, localized("Vivid", context: "effect")), colored(.warm, localized("Warm", context: "effect")),
    colored(.cool, localized("Cool", context: "effect")), colored(.fade, localized("Fade", context: "effect")),
    colored(.instant, localized("Instant", context: "effect")),
    colored(.thermal, localized("Thermal", context: "effect")),
    colored(.xRay, localized("X-Ray", context: "effect"), keepsLight: false),
  ]

  private static let mirrorRoom: [Effect] = [
    Effect("mirror", localized("Mirror", context: "effect"), .mirrorRoom, isSpatial: true, MirrorEffect()),
    bent(.bulge, localized("Bulge", context: "effect")), bent(.pinch, localized("Pinch", context: "effect")),
    bent(.twirl, localized("Twirl", context: "effect")), bent(.fisheye, localized("Fisheye", context: "effect")),
  ]

  private static func colored(
    _ look: ColorLook, _ title: @autoclosure @escaping @Sendable () -> String, keepsLight: Bool = true
  ) -> Effect {
    Effect(look.rawValue, title(), .color, isSpatial: false, keepsLight: keepsLight, ColorEffect(look))
  }

  private static func bent(_ distortion: Distortion, _ title: @autoclosure @escaping @Sendable () -> String) -> Effect {
    Effect(distortion.rawValue, title(), .mirrorRoom, isSpatial: true, DistortionEffect(distortion))
  }
}

extension Effect: Hashable {
  public static func == (one: Effect, other: Effect) -> Bool { one.identifier == other.identifier }
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
