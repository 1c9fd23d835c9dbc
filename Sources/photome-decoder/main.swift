// photome-decoder: decodes pictures of untrusted files for PhotoMe, in a process that may do nothing else.

import CameraCore
import Foundation
import Localization
import StillCodecs

if let data = DataFolder.find() { MessageCatalog.use(folder: data.translations) }
exit(DecoderService.run())
