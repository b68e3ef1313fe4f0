internal import CFFTW
internal import Glibc
internal import Realtime
internal import Synchronization

/// FFTW's measured plans for real transforms of 256 to 16384, which FFTW's fixed rules plan up to a third slower.
///
/// The forward transform of 1024 keeps its original plan: the colours of waveforms in caches were made with this plan.
///
/// The plans are stored here and not measured at run time: another measurement may give another plan, and so other last
/// bits of a sum.
enum FourierWisdom {
    private static let isAccepted = Atomic<Bool>(false)

    /// True if FFTW accepted the wisdom, once there was a plan. Another version of FFTW, or a processor without the
    /// same instructions, ignores the wisdom and plans by FFTW's rules.
    static var isTaken: Bool { isAccepted.load(ordering: .relaxed) }

    /// Makes plans while FFTW knows this wisdom and no other. The host's wisdom, known to FFTW before, is restored
    /// afterwards.
    ///
    /// Only under the planner's lock.
    static func whileTaken<Result>(_ plan: () -> Result) -> Result {
        guard isShared else {
            _ = takenOnce
            return plan()
        }
        let others = unsafe fftwf_export_wisdom_to_string()
        defer {
            fftwf_forget_wisdom()
            if let others = unsafe others {
                _ = unsafe fftwf_import_wisdom_from_string(others)
                unsafe free(others)
            }
        }
        fftwf_forget_wisdom()
        take()
        return plan()
    }

    private static func take() {
        isAccepted.store(unsafe fftwf_import_wisdom_from_string(text) != 0, ordering: .relaxed)
    }

    private static let takenOnce: Void = take()

    /// True if a host may use the same FFTW: false in the command, and in the library for C with its own copy of FFTW.
    /// A search for symbols cannot detect a host linked with FFTW's archive, or loaded without showing its symbols.
    private static let isShared = ProcessOwner.isHost && !woodshed_fftw_is_private()

    /// The output of `fftwf_export_wisdom_to_string` after the fastest of several runs with `FFTW_MEASURE` and
    /// `FFTW_PATIENT` for each size, on x86-64 with AVX.
    private static let text = """
        (fftw-3.3.10 fftwf_wisdom #x9e7d4dee #xdb14fed1 #x34bf76a4 #xeb6e8fdf
          (fftwf_codelet_r2cf_8 2 #x11048 #x11048 #x0 #xaae37515 #xc366903c #xc804fee2 #x44fc70a7)
          (fftwf_codelet_r2cf_8 2 #x11048 #x11048 #x0 #xba38f62e #x4946eacc #xea4ed48e #xfce17397)
          (fftwf_codelet_n2bv_8_avx 0 #x10048 #x10048 #x0 #xbd7ff304 #x3b08865b #x47962b2b #xd1189ffa)
          (fftwf_codelet_t2bv_16_avx 0 #x10048 #x10048 #x0 #xdecbd8fc #x48c91b31 #x1e3d2434 #xc732f759)
          (fftwf_dft_vrank_geq1_register 0 #x10048 #x10048 #x0 #xe363e8b2 #x4313f054 #x96d9aa98 #x7e5a132a)
          (fftwf_codelet_t2bv_32_avx 0 #x10048 #x10048 #x0 #xb070d958 #x23f0478f #x95da449c #x52df1d59)
          (fftwf_codelet_r2cb_2 2 #x10bdd #x10bdd #x0 #xbf76898c #x7d78c8ce #x8377740c #x9d79896b)
          (fftwf_codelet_r2cfII_8 2 #x11048 #x11048 #x0 #x68609657 #xbc9ec93a #x11b42de9 #xb606cbdd)
          (fftwf_codelet_r2cf_8 2 #x11048 #x11048 #x0 #x94f68dbb #x1bbc0153 #x02a16839 #xfa3b1dd9)
          (fftwf_codelet_r2cb_2 2 #x10048 #x10048 #x0 #xceb129a6 #x8ffa2ca4 #xd1160c04 #xb0c811a0)
          (fftwf_codelet_r2cf_16 2 #x11048 #x11048 #x0 #xbab6fbd0 #x23e3d7fa #x55d95c03 #x6c6e8518)
          (fftwf_codelet_r2cb_2 2 #x10048 #x10048 #x0 #x47168e7b #xed4b14f8 #xcd14ccbd #xebfeb361)
          (fftwf_codelet_t2bv_4_avx 0 #x10048 #x10048 #x0 #xb9da9e1a #xb5ad84a3 #xd98a6c23 #x906c1255)
          (fftwf_codelet_hc2cbdft_2 0 #x10048 #x10048 #x0 #xd9d6a831 #xbe5a39ac #x2e0f46d1 #xfe02dec6)
          (fftwf_codelet_t2bv_8_avx 0 #x10048 #x10048 #x0 #xeca2c7ac #xab07871d #xcf2fdd5c #xa724670f)
          (fftwf_codelet_t2bv_32_avx 0 #x10048 #x10048 #x0 #xde21d884 #x3b28cd44 #x6d0c70bc #x14b5084d)
          (fftwf_codelet_t2bv_16_avx 0 #x10048 #x10048 #x0 #xfb84c005 #x2def5266 #x299a28ed #x59ba2f64)
          (fftwf_codelet_n2fv_64_avx 0 #x11048 #x11048 #x0 #x8cf8761b #xda8d5641 #x18f53716 #xb0d94285)
          (fftwf_codelet_t2bv_4_avx 0 #x10048 #x10048 #x0 #xf06b0ac4 #x8ab72ac2 #x63b670d4 #xf83e4dff)
          (fftwf_codelet_r2cbIII_2 2 #x10bdd #x10bdd #x0 #x01a5171a #xacba19d0 #xc2d82daa #x54b1dcc3)
          (fftwf_codelet_r2cb_2 2 #x10048 #x10048 #x0 #x6d932e30 #x4b13e8d1 #xfe57afa4 #x5ea0499f)
          (fftwf_codelet_r2cbIII_2 2 #x10048 #x10048 #x0 #xf7e0615b #xe198de90 #x31dac641 #x76ae098b)
          (fftwf_codelet_t2fv_8_avx 0 #x11048 #x11048 #x0 #x80a102c8 #x332f47bc #x10cdb888 #xb57ff6f6)
          (fftwf_codelet_r2cfII_8 2 #x11048 #x11048 #x0 #x23fb2e26 #x3fe4d3f4 #x78d7c0db #xaba9deb1)
          (fftwf_codelet_t2bv_64_avx 0 #x10bdd #x10bdd #x0 #xd86f0fcc #x804581bb #x5ccfdfba #x14108c49)
          (fftwf_codelet_r2cfII_8 2 #x11048 #x11048 #x0 #x9b71d905 #x7d7faf81 #x09c45860 #x2a522386)
          (fftwf_codelet_t2bv_64_avx 0 #x10bdd #x10bdd #x0 #x71b35416 #x033191ee #x08427f48 #x060813e0)
          (fftwf_codelet_n2bv_16_avx 0 #x10bdd #x10bdd #x0 #x09828f7b #x31d0c35d #xa617d809 #x4ccb96bd)
          (fftwf_dft_vrank_geq1_register 0 #x11048 #x11048 #x0 #x2095759b #x2b63b278 #x5a7f4e7b #x54c13aff)
          (fftwf_codelet_n2fv_32_avx 0 #x11048 #x11048 #x0 #x12d24524 #x289b57fa #x2bd8cbf3 #xaac91103)
          (fftwf_dft_vrank_geq1_register 0 #x11048 #x11048 #x0 #x3d3fc101 #x304dfb91 #x50844c77 #xf91c631a)
          (fftwf_codelet_hc2cfdftv_8_sse2 0 #x11048 #x11048 #x0 #xc447d79d #x3bb36c12 #x2e7c8386 #xc241521c)
          (fftwf_codelet_n2fv_8_avx 0 #x11048 #x11048 #x0 #x3f177dac #xd6bae8fd #xec314547 #x95908075)
          (fftwf_codelet_r2cbIII_2 2 #x10bdd #x10bdd #x0 #x53014ae3 #x5bebcd21 #xb7222d08 #xcb21e60a)
          (fftwf_codelet_r2cbIII_2 2 #x10048 #x10048 #x0 #xf99977a6 #x2562f752 #xa5b49120 #x0b313dd4)
          (fftwf_codelet_r2cf_8 2 #x11048 #x11048 #x0 #xe75b944c #x09ac1906 #x449b29ce #x7b6666b0)
          (fftwf_codelet_n2bv_8_avx 0 #x10048 #x10048 #x0 #x017d7382 #xbd6f3d64 #x1cc0b76d #x12cff5e6)
          (fftwf_codelet_r2cbIII_2 2 #x10bdd #x10bdd #x0 #xc266d7ae #xcc604c28 #xabefc5b9 #x5c765009)
          (fftwf_codelet_t2fv_32_avx 0 #x11048 #x11048 #x0 #xb65625c8 #x92481e7d #x78ced193 #xc433149a)
          (fftwf_codelet_hc2cfdftv_8_sse2 0 #x11048 #x11048 #x0 #x42ead677 #x86451fba #xaefc212f #xfe3ad2af)
          (fftwf_codelet_hc2cbdft_2 0 #x10bdd #x10bdd #x0 #x33b55dab #xe700b258 #x1523ad42 #x1ea71b18)
          (fftwf_codelet_n2fv_64_avx 0 #x11048 #x11048 #x0 #x03406dff #xc8fa0a2c #x62a9a61e #xa394d874)
          (fftwf_codelet_n2bv_64_avx 0 #x10bdd #x10bdd #x0 #x6c447a57 #x88d0c094 #x74220cbd #xa4af46b7)
          (fftwf_codelet_hc2cfdftv_16_sse2 0 #x11048 #x11048 #x0 #xf457cfc7 #xf42117a4 #x48772d54 #x772e7810)
          (fftwf_codelet_hc2cfdftv_8_sse2 0 #x11048 #x11048 #x0 #x85773c49 #x9a968ccc #xbd37e819 #xac77e6a4)
          (fftwf_codelet_r2cf_8 2 #x11048 #x11048 #x0 #xa8e723ad #x5577b756 #x19ace181 #xf0b6f4b2)
          (fftwf_codelet_n2bv_8_avx 0 #x10048 #x10048 #x0 #x692196f4 #xb1736e52 #xeed7664b #x53a9e61f)
          (fftwf_codelet_t2fv_4_avx 0 #x11048 #x11048 #x0 #xb0bde699 #x3baa1ac0 #xdbbed5b2 #x3b1456c3)
          (fftwf_codelet_hc2cfdftv_8_sse2 0 #x11048 #x11048 #x0 #x75cb0b70 #xca641787 #xed23b032 #x151f7e6f)
          (fftwf_codelet_r2cfII_16 2 #x11048 #x11048 #x0 #xc0e0bf2e #xee74f613 #x0250a6ea #x221624b1)
          (fftwf_codelet_r2cfII_8 2 #x11048 #x11048 #x0 #x6c61c6d7 #xc790457f #x11eab5b6 #x7b048671)
          (fftwf_codelet_r2cfII_8 2 #x11048 #x11048 #x0 #x76fa2a50 #xf4668261 #xbf8b003e #xbfa64206)
          (fftwf_dft_vrank_geq1_register 0 #x10048 #x10048 #x0 #x4a21da22 #x4b50e3c5 #xefb802bc #x58b68021)
          (fftwf_codelet_hc2cbdft_2 0 #x10bdd #x10bdd #x0 #x35391f4d #x4848fdd9 #x0d135c52 #x15138e60)
          (fftwf_dft_vrank_geq1_register 0 #x11048 #x11048 #x0 #xeee22a12 #x07481df6 #x5c79cb14 #x143b8b22)
          (fftwf_codelet_n2fv_64_avx 0 #x11048 #x11048 #x0 #xdae94766 #xa548e347 #x8a9a261b #xff2066cd)
          (fftwf_codelet_n2bv_64_avx 0 #x10048 #x10048 #x0 #xd44af7f2 #x9ccd3bb0 #xadd8ebc9 #xed176ad5)
          (fftwf_codelet_hc2cfdftv_8_sse2 0 #x11048 #x11048 #x0 #x4bb69ce7 #x4599107c #x14ecc846 #x282ba2c3)
          (fftwf_codelet_hc2cbdft_2 0 #x10bdd #x10bdd #x0 #x1f5f22d9 #xed218381 #x10c9c094 #xe9e7bb90)
          (fftwf_codelet_r2cbIII_2 2 #x10048 #x10048 #x0 #x1cdcbb11 #x610ef8f4 #xf6e536ee #x4736c58d)
          (fftwf_codelet_r2cb_2 2 #x10048 #x10048 #x0 #x87fbdeeb #xf9c66fd5 #x6ca0eba9 #x25f0fb86)
          (fftwf_codelet_n2bv_8_avx 0 #x10bdd #x10bdd #x0 #x3c3f5102 #xa27b92c3 #x235c75ee #x2fe6d6a2)
          (fftwf_codelet_r2cb_2 2 #x10bdd #x10bdd #x0 #x6ca4f32d #x29172dca #x83ff648b #xa2fc9877)
          (fftwf_codelet_n2fv_32_avx 0 #x11048 #x11048 #x0 #x20534da8 #xb60daf19 #x2cee2490 #x956943ca)
          (fftwf_codelet_r2cbIII_2 2 #x10048 #x10048 #x0 #xbdfe9d12 #x6da3cfd0 #x6e059b2a #x90742d5a)
          (fftwf_codelet_t1bv_32_avx 0 #x10bdd #x10bdd #x0 #x889f271b #xfc322bc3 #x77dab9f2 #x358ba725)
          (fftwf_dft_vrank_geq1_register 0 #x11048 #x11048 #x0 #x1d5f8951 #x83ff8a7f #x97795bcc #x27178c7e)
          (fftwf_codelet_t2fv_16_avx 0 #x11048 #x11048 #x0 #x571f4086 #xb9b8b33f #x5fd6f2e5 #x282073ee)
          (fftwf_codelet_hc2cbdft_2 0 #x10048 #x10048 #x0 #x99129601 #x565cc48e #x0e3e5326 #xd444a242)
          (fftwf_codelet_n2fv_64_avx 0 #x11048 #x11048 #x0 #x287a5212 #x9c627490 #xa9e4b096 #x3f08a900)
          (fftwf_codelet_hc2cbdft_2 0 #x10048 #x10048 #x0 #xe34ff8c8 #xe84377ec #x9549329e #x4f4160df)
          (fftwf_dft_vrank_geq1_register 0 #x10048 #x10048 #x0 #x6262b95b #x5a89ceec #x9747b885 #x227f0de9)
          (fftwf_codelet_hc2cbdft_2 0 #x10048 #x10048 #x0 #x8aca1ed4 #xcecda7ff #xd608cfd5 #xa46252f3)
          (fftwf_codelet_r2cb_2 2 #x10bdd #x10bdd #x0 #xf6dad419 #xb3f2ed7c #x4d3ef187 #x7a0d85d4)
          (fftwf_codelet_r2cf_2 2 #x11bdd #x11bdd #x0 #x52d4cebb #x3d61daaa #x6b7f5c22 #x0a343c15)
          (fftwf_codelet_r2cfII_2 2 #x11bdd #x11bdd #x0 #x0f9bbec4 #xaf177e66 #xae9fc9cb #x69add438)
          (fftwf_codelet_hc2cfdftv_2_sse2 0 #x11bdd #x11bdd #x0 #x3f67885c #x1d118905 #x1b4c027b #x7ecffc87)
          (fftwf_codelet_t2fv_8_avx 0 #x11bdd #x11bdd #x0 #xfeec02f8 #xbbf06357 #xb26e7a2b #xf7b9dcb8)
          (fftwf_codelet_n2fv_64_avx 0 #x11bdd #x11bdd #x0 #x60f7dd6b #xe5962c71 #x960dc0f4 #x2fbec2ab)
        )
        """
}
