// The outcomes of imports and exports, in words.

import CameraCore
import Foundation
import Localization
import PhotoLibrary

extension TransferModel {
  /// The messages about an import, the one about what was imported first.
  nonisolated static func outcome(_ report: ImportReport) -> [String] {
    var texts = [imported(report)]
    if let first = report.refused.first {
      let count = report.refused.count
      texts.append(
        count == 1
          ? first.description
          : localized(
            "\(count) file couldn’t be imported. \(first.description)",
            plural: "\(count) files couldn’t be imported. \(first.description)", count: count,
            comment: "{1} is a sentence about the first of the files"))
    }
    let faulty = report.imported.filter { $0.fault != nil }
    if let fault = faulty.first?.fault {
      let count = faulty.count
      texts.append(
        count == 1
          ? fault
          : localized(
            "\(count) item has a fault: \(fault)", plural: "\(count) items have faults, for example: \(fault)",
            count: count, comment: "{1} is a sentence with its period"))
    }
    texts += report.skipped.map(\.description)
    switch report.end {
    case .complete: break
    case .cancelled: texts.append(localized("The import was canceled."))
    case .stopped(let error): texts.append(error.description)
    }
    return texts
  }

  private nonisolated static func imported(_ report: ImportReport) -> String {
    let (count, there) = (report.imported.count, report.duplicates.count)
    if count == 0, there == 0 {
      return report.refused.isEmpty
        ? localized("There are no photos or videos to import.") : localized("Nothing was imported.")
    }
    if count == 0 {
      return localized(
        "Nothing was imported. The item is already in the library.",
        plural: "Nothing was imported. All \(there) items are already in the library.", count: there)
    }
    let done = localized("\(count) item imported.", plural: "\(count) items imported.", count: count)
    guard there > 0 else { return done }
    let rest = localized(
      "\(there) item was already in the library.", plural: "\(there) items were already in the library.", count: there)
    return "\(done) \(rest)"
  }

  /// The messages about an export, the one about what was exported first.
  nonisolated static func outcome(_ report: ExportReport, as form: ExportForm, into folder: URL) -> [String] {
    let (count, name) = (report.exported.count, folder.lastPathComponent)
    guard let first = report.exported.first else { return troubles(report) }
    guard !form.isSheet else {
      let sheets = 1 + first.companions.count
      return [
        localized(
          "\(sheets) sheet exported to “\(name)”.", plural: "\(sheets) sheets exported to “\(name)”.", count: sheets)
      ] + troubles(report)
    }
    return [
      localized("\(count) item exported to “\(name)”.", plural: "\(count) items exported to “\(name)”.", count: count)
    ] + troubles(report)
  }

  /// The messages about deficiencies of an export.
  nonisolated static func troubles(_ report: ExportReport) -> [String] {
    var texts: [String] = []
    let notes = report.exported.compactMap(\.note)
    texts += notes.prefix(mostNotes)
    if notes.count > mostNotes {
      let more = notes.count - mostNotes
      texts.append(
        localized(
          "This also applies to \(more) more item.", plural: "This also applies to \(more) more items.", count: more))
    }
    if let first = report.refused.first {
      let count = report.refused.count
      texts.append(
        count == 1
          ? first.error.description
          : localized(
            "\(count) item couldn’t be exported. \(first.error.description)",
            plural: "\(count) items couldn’t be exported. \(first.error.description)", count: count,
            comment: "{1} is a sentence about the first of the items"))
    }
    if report.isCancelled { texts.append(localized("The export was canceled.")) }
    return texts
  }

  /// Of deficiencies of copies that are told one by one.
  private nonisolated static let mostNotes = 3
}
