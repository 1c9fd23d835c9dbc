// photome: the camera in its window. Starts the application with everything below it.

import CameraCore
import Foundation
import GtkShim
import Localization
import PhotoLibrary

ProcessMemory.useOneHeap()
pm_main_queue_attach()
do {
  let data = try DataFolder.installed()
  MessageCatalog.use(folder: data.translations)
  let application = Application(data: data)
  ProgramEnd.end(application.run(CommandLine.arguments))
} catch {
  FileHandle.standardError.write(Data("photome: \(error)\n".utf8))
  ProgramEnd.end(1)
}
