// The models that the shell shows, handed from the composition root to every page.

import CameraModels

/// The models that the window shows.
@MainActor struct Models {
  var camera: CameraModel
  var retries: CameraRetryModel
  var controls: ControlsModel
  var movies: MovieModel
  var codes: CodeModel
  var effects: EffectsModel
  var strip: ThumbnailStripModel
  var library: LibraryModel
  var viewer: ViewerModel
  var burst: BurstReview
  var editor: EditModel
  var navigation: NavigationModel
  var window: WindowModel
  var notices: ShotNoticeModel
  var welcome: WelcomeModel
  var pictures: PictureActionsModel
  var captureMetadata: CaptureMetadataModel
  var albums: AlbumActionsModel
  var deleted: DeletedPicturesModel
  var transfers: TransferModel
  var opening: OpeningModel
  var export: ExportModel
  var sharing: SharingModel
  var printing: PrintModel
  var history: ChangeHistory
  var hiddenLock: HiddenLock
  var place: LocationModel
  var libraryFolder: LibraryFolderModel
  var availability: LibraryAvailabilityModel
  var messages: MessageModel
}
