// The effects' golden pictures, as means of 6×4 parts of a procedural scene.

enum GoldenPictures {
  /// By the effect's identifier, at full intensity: colors in hexadecimal, row by row.
  static let effects: [String: String] = [
    "noir":
      """
    6e6e6e 888888 a1a1a1 bababa cfcfcf e0e0e0 3f3f3f 868686 c2c2c2 b8b8b8 a8a8a8 bfbfbf \
    1d1d1d 6c6c6c bfbfbf a7a7a7 7a7a7a 949494 0b0b0b 141414 212121 343434 4c4c4c 676767
    """,
    "mono":
      """
    8e8e8e 9b9b9b a7a7a7 b3b3b3 bfbfbf cacaca 6c6c6c 949494 b4b4b4 aeaeae a4a4a4 b0b0b0 \
    4c4c4c 7e7e7e b2b2b2 a3a3a3 878787 949494 2e2e2e 3c3c3c 4a4a4a 595959 686868 787878
    """,
    "silver":
      """
    a4a5a6 b0b1b1 bbbcbb c6c6c4 d0cfcc d9d8d4 7f8286 a8aaaa c7c7c4 c2c2c0 b9b9b9 c4c4c2 \
    585d63 8f9193 c4c4c2 b6b7b6 9d9fa0 aaabac 363b43 444a51 565a61 686c71 7a7d81 8c8f91
    """,
    "sepia":
      """
    a47f59 b28c64 be9971 c8a680 d1b38f dabf9e 7e5d3e a98661 c9a781 c4a17a bb966d c6a37c \
    5b3f26 90704f c6a57f b89670 9c7854 ab865e 3d2918 4b321e 593d25 684a2e 79593a 8b6847
    """,
    "vivid":
      """
    00ed06 19ea09 53e60b 92e20d c9de10 f3db14 03af1b 7eae47 ebae75 dfad66 daa057 fb9c69 \
    0e6534 8b7c5f eca879 e5927f eb56a6 ff50c4 1d2649 4a2271 841d9d c218c8 f514ec ff11fc
    """,
    "warm":
      """
    2cd027 55d02a 7ccf2c a1ce2f c6ce32 eacd35 2f9d2d 91a14b dda66a d2a561 ca9b57 ed9a61 \
    326933 937e54 dda26b d3916c cd687c ef6590 35353a 5e3453 84336d aa3288 ce32a4 f231c0
    """,
    "cool":
      """
    28ca53 47ca57 68ca5b 8acb5f adcb63 d1cc67 269755 7b9f75 c1a593 b6a38b ad9a81 d09a8b \
    246557 797d7b c1a194 b59194 ab699d ce67ae 223359 423372 62348a 8534a2 a835b9 cc35cf
    """,
    "fade":
      """
    66bd73 7cbf77 92c17b a8c37f bdc583 d2c787 5d996b 96a384 c3ac9b bcaa95 b5a28d caa495 \
    537464 908a82 c2a99b b99c97 ad7f96 c17fa2 4a4e5c 61506d 77537e 8d568f a3589f b95bb0
    """,
    "instant":
      """
    47d557 6ad65a 92d75e b8d862 dad966 f0da6a 42a755 9db170 e5ba8a ddb883 d6ad7a eeae83 \
    3d7254 998d72 e4b68b dba489 d17a8e eb799d 384452 574665 7e477a a6488e ca49a2 e84ab3
    """,
    "thermal":
      """
    de4041 e75432 f06924 f67f1c fa951c fcac22 b11f6d de4e3b f6801c f4751e ee6427 f5791d \
    780f84 ba4055 f37e20 e8682c d73749 e34939 390b69 570d77 740e84 901384 aa1c73 c3275d
    """,
    "x-ray":
      """
    133047 0e273c 0c2133 0a1b2b 081725 07131f 3b617c 183248 0a1b2b 0b1d2e 0d2235 0b1d2d \
    6e9fba 395b71 0d1f2f 142a3c 19374f 102a40 a4ccdf 8bbad3 72a3be 5a87a2 426a84 2a4d67
    """,
    "mirror":
      """
    2ccc42 50cc45 74cc49 74cc49 50cc45 2ccc42 2c9945 889f66 d1a585 d1a585 889f66 2c9945 \
    2c6649 887d6d d1a187 d1a187 887d6d 2c6649 2c334d 503367 743381 743381 503367 2c334d
    """,
    "bulge":
      """
    2ccc42 56c848 91ba5d a2bc5b b9c852 e0cc54 2c9946 b1a278 ddaa8c d8a789 c09a77 e0997d \
    2c6649 b1927b ddaa8c d8a78a c07a8c e066a6 2c334d 563968 915881 a25091 b937b1 e033cf
    """,
    "pinch":
      """
    2ccc42 4fcd45 71d645 9ad648 bdcd50 e0cc54 2c9945 559e52 9caf69 b1ac68 c39c72 e0997d \
    2c6649 55665d 9c727c b16391 c36399 e066a6 2c334d 4f3267 712983 9a29a2 bd32b6 e033cf
    """,
    "twirl":
      """
    2ccc42 5fd843 a3bf58 b79b6f c5b660 e0cc54 2c9d45 73c34c caa280 c48f87 b25a94 e19580 \
    2b6a48 60a651 c7a37f d6a589 9b3e97 df62a9 2b334d 544a61 937276 8a4f81 ad27b1 e033cf
    """,
    "fisheye":
      """
    4ab74b 9fa86c c0a47b baa575 adab65 c8b760 939a6c daa88b deab8d daa88a cc9f82 c09079 \
    93896f daa88b deab8d daa88a cc9b84 c0708f 4a4b5c 9f797a c09183 ba8585 ad5f90 c848af
    """,
  ]

  /// By the adjustment's name, at 0.8.
  static let adjustments: [String: String] = [
    "exposure":
      """
    3bfa56 68fa5b 95fa60 c3fa64 f0fa69 fffa6e 3bc45b abcc84 fad4ac f4d1a1 f1c694 ffc4a1 \
    3b8460 aba18d facfae f4baad f187bd ff84d5 3b4464 684485 9544a6 c344c7 f044e7 ff44fc
    """,
    "contrast":
      """
    15e328 39e32c 6de330 a6e335 d5e339 f1e33e 15a72c 86b15a e5ba89 dcb77b d7a96a f1a77c \
    155830 867c63 e5b48b dc9b8b d75b9f f158ba 151c35 391c58 6d1c82 a61cab d51ccd f11ce6
    """,
    "brightness":
      """
    51dd6b 79dd6e 9add72 b7dd76 d2dd79 ebdd7d 51b86e a5bc8c e0c1a8 d8c0a1 d3b898 ebb8a1 \
    518d72 a5a093 e0bea9 d8b0a9 d38fb3 eb8dc1 515a76 795a8e 9a5aa4 b75ab9 d25acc eb5adf
    """,
    "highlights":
      """
    2ed845 56db4a 7edf50 a9e255 d4e55b fae860 2c9a46 8fa66b e2b391 d4af86 c7a278 efa486 \
    2c6649 8e8271 e2af92 d29a8f bf6994 e367a8 2c334d 503367 743381 98339b bc33b5 e033cf
    """,
    "shadows":
      """
    2ccc42 50cc45 74cc49 98cc4d bccc51 e0cc54 2d9f48 88a167 d1a585 c6a37d bd9a72 e0997d \
    347957 8f8576 d2a288 ca938a c56c9a e568aa 3f4970 6e458e 9742a9 bd3ec1 de3cd6 f939e8
    """,
    "saturation":
      """
    00ed01 0de802 44e204 7fdc05 b9d607 f1cf09 01b01a 7ca740 eea066 dea05a d6964f fd8e5c \
    0d723d 8f7c60 f09b6b e88876 ef57a5 ff4ec1 253361 5f2b88 9823b0 d21cd6 fc15f3 ff10fe
    """,
    "warmth":
      """
    30c93b 56c93e 7dc941 a4c945 cac948 f1c94b 30973e 929d5c e0a378 d5a170 cc9867 f19771 \
    306441 927b62 e09f79 d58f79 cc6685 f16496 303245 56325c 7d3274 a4328c ca32a3 f132bb
    """,
    "tint":
      """
    31c34a 59c34e 81c352 a8c356 d0c35a f6c35e 31924e 969872 e79e94 db9c8a d1937f f6928b \
    316152 967779 e79a95 db8a95 d163a3 f661b8 313056 593072 81308f a830ac d030c8 f630e5
    """,
    "vignette":
      """
    197325 42a639 6cbd44 8dbd48 99a642 7e7330 1f6930 809460 d0a485 c5a27c b08f6a 9a6956 \
    1f4733 807566 d0a086 c59086 b06188 9a4772 191e2c 422b54 6c3078 8d308f 992b93 7e1e74
    """,
  ]
}
