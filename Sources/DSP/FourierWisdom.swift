internal import CFFTW

/// FFTW's measured plan for the transform of 1024, which is used for the colours of waveforms, and which FFTW's fixed rules plan a tenth
/// slower.
///
/// It is stored here and not measured where the program runs: another measurement may give another plan, and so other last bits of a sum.
enum FourierWisdom {
    /// Passes it to FFTW once, and tells whether FFTW accepted it. Another version, or one without the same instructions, ignores
    /// it and plans by its rules.
    ///
    /// Only under the planner's lock.
    static let isTaken: Bool = unsafe fftwf_import_wisdom_from_string(text) != 0

    /// The output of `fftwf_export_wisdom_to_string` after `FFTW_MEASURE`, on x86-64 with AVX.
    private static let text = """
        (fftw-3.3.10 fftwf_wisdom #x9e7d4dee #xdb14fed1 #x34bf76a4 #xeb6e8fdf
          (fftwf_codelet_r2cf_2 2 #x11bdd #x11bdd #x0 #x52d4cebb #x3d61daaa #x6b7f5c22 #x0a343c15)
          (fftwf_codelet_r2cfII_2 2 #x11bdd #x11bdd #x0 #x0f9bbec4 #xaf177e66 #xae9fc9cb #x69add438)
          (fftwf_codelet_hc2cfdftv_2_sse2 0 #x11bdd #x11bdd #x0 #x3f67885c #x1d118905 #x1b4c027b #x7ecffc87)
          (fftwf_codelet_t2fv_8_avx 0 #x11bdd #x11bdd #x0 #xfeec02f8 #xbbf06357 #xb26e7a2b #xf7b9dcb8)
          (fftwf_codelet_n2fv_64_avx 0 #x11bdd #x11bdd #x0 #x60f7dd6b #xe5962c71 #x960dc0f4 #x2fbec2ab)
        )
        """
}
