// A small picture and a small movie for the tests of the models.

import CameraCore
import Foundation

enum SampleMedia {
  /// 64×48 pixels of color bars.
  static let jpeg = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()

  static let photo = CapturedPhoto(data: jpeg, thumbnail: jpeg, size: PixelSize(width: 64, height: 48))

  /// A frame of a sensor with 8 bits.
  static func rawFrame() -> BayerFrame? {
    let size = PixelSize(width: 32, height: 18)
    let block = FrameBlock(count: size.area) { memory in
      for index in memory.indices { memory[index] = UInt8(truncatingIfNeeded: index) }
    }
    return BayerFrame(layout: BayerLayout(pattern: .grbg, bits: 8), size: size, stride: size.width, block: block)
  }

  /// Writes the beginning of an MP4, which is all that the models and the library need.
  static func movie(in folder: URL) throws -> CapturedMovie {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent("\(UUID().uuidString).mp4")
    var box = Data([0, 0, 0, 32])
    box.append(Data("ftypmp42".utf8))
    box.append(Data([0, 0, 0, 0]))
    box.append(Data("mp42mp41isomiso2".utf8))
    box.append(Data([0, 0, 0, 8]))
    box.append(Data("mdat".utf8))
    try box.write(to: url)
    return CapturedMovie(url: url, duration: 3, photoDisplayTime: 1.5, hasSound: false)
  }

  private static let base64 = """
    /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5a
    YVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAAR
    CAAwAEADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEG
    E1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWG
    h4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEB
    AQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYk
    NOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0
    tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD0KqMn+sb6mr1UZP8AWN9TXh55/Dh6mtLc
    y7v/AI+X/D+VZ9z/AKwfStC7/wCPl/w/lWfc/wCsH0r08T/yK6fpH8j4bE/71U/xP8zN1D/ln+P9Kzrn/Vj61o6h/wAs/wAf6VnXP+rH1r0s
    J/yJ/k//AEpn6jw1/wAi6l8//SmZ93/x7P8Ah/OsytO7/wCPZ/w/nWZXr8N/7rL/ABP8kcmf/wC8x/wr82e8VRk/1jfU1eqjJ/rG+pr4PPP4
    cPU4qW5l3f8Ax8v+H8qz7n/WD6VoXf8Ax8v+H8qz7n/WD6V6eJ/5FdP0j+R8Nif96qf4n+Zm6h/yz/H+lZ1z/qx9a0dQ/wCWf4/0rOuf9WPr
    XpYT/kT/ACf/AKUz9R4a/wCRdS+f/pTM+7/49n/D+dZlad3/AMez/h/OsyvX4b/3WX+J/kjkz/8A3mP+FfmyD7T/ALH611mheBf7b0iHUv7T
    8jzyx8vyN23DEddw9PSuLr2XwD/yJth/20/9GNWeZ1JTpLm7nx+V4qtWrOM3dW8u6OZ1zRv+ET0OCX7R9rzN5WNnl9QzZ6n0ritRvPt06y+X
    swu3G7Pc/wCNelfFH/kW7f8A6/F/9AevK66sBRhiMMlVV/8Ageh91hn7fDqNTVf5Gr4d1/8Asg3A+y+d523/AJabcYz7H1q5rWvf2zYpB9l8
    nbIH3eZu6AjHQetcxD98/SrsX+rFfOe0ly8t9D5p4Oi6vtmve76nV+HdKk0nVLTVBKkpU7Uib5PMZ12gAnr8zHoDwpJwSAetk8XObZZrbTGl
    +fYymdVI+UkMODlMAncccDPSs5oYY5BLM0coeZt0sqb9zDJVVVSA25S3PJOegLiqiSrNEPsodJ5wY5jEinaZGGWC7up+TBHGGY/WDpP/2Q==
    """
}
