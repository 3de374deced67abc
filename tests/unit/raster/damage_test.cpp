// Damaged, foreign and absurd files: every one is refused in one line that names the file, and nothing is read as
// zeros.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>

#include "test_files.h"

namespace arete::test {
namespace {

void expect_one_line(const std::string& message, const std::string& name) {
  EXPECT_FALSE(message.empty()) << name << " was read";
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_NE(message.find(name), std::string::npos) << message;
}

class Damaged : public testing::TestWithParam<const char*> {};

TEST_P(Damaged, IsRefusedInOneLine) {
  const auto path = find_test_file(GetParam());
  ASSERT_TRUE(path);
  testing::internal::CaptureStderr();
  const std::string message = refusal(*path);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  expect_one_line(message, path->filename().string());
}

INSTANTIATE_TEST_SUITE_P(Files, Damaged,
                         testing::Values("corrupt/california_trunc.lerc2", "corrupt/empty.hgt", "corrupt/empty.tif",
                                         "corrupt/hugo_short.asc", "corrupt/trunc_header.tif",
                                         "corrupt/zeroed_middle.tif", "dted0-n43/n43_coord_inverted.dt0",
                                         "dted0-n43/w118n033_trunc.dt1",
                                         "usgsdem-truncated/fema06-140cm_2995441b_truncated.dem"));

TEST(Damage, NamesTheRow) {
  EXPECT_NE(refusal(*find_test_file("corrupt/hugo_short.asc")).find("row 27"), std::string::npos)
      << refusal(*find_test_file("corrupt/hugo_short.asc"));
  const std::string tile = refusal(*find_test_file("corrupt/zeroed_middle.tif"));
  EXPECT_NE(tile.find("row "), std::string::npos) << tile;
}

// Every tenth of a whole file is cut off; the rest must be refused, never padded with zeros.
class Cut : public testing::TestWithParam<const char*> {};

TEST_P(Cut, ShortFilesAreRefused) {
  const Scratch scratch;
  const Path source = *find_test_file(GetParam());
  const std::string whole = read_file(source);
  for (const char* sidecar : {".hdr", ".prj"}) {
    if (std::filesystem::exists(Path(source).replace_extension(sidecar))) {
      std::filesystem::copy_file(Path(source).replace_extension(sidecar),
                                 scratch / Path(source).replace_extension(sidecar).filename().string());
    }
  }
  const Path copy = scratch / source.filename().string();
  write_file(copy, whole);
  EXPECT_EQ(refusal(copy), "");
  for (int tenth = 0; tenth < 10; ++tenth) {
    write_file(copy, whole.substr(0, whole.size() * std::size_t(tenth) / 10));
    expect_one_line(refusal(copy), source.filename().string());
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Cut,
                         testing::Values("variants/i16_lzw_pred2_tiled.tif", "variants/u16_packbits.tif",
                                         "variants/f32_deflate_pred3_strip.tif", "variants/png8_srtm_257.png",
                                         "bil-srtm-int16/n44_w072_crop.bil", "asc-small-grids/hugo_site.asc",
                                         "N44W072.hgt.zip", "lerc-california/world.lerc1",
                                         "lerc-california/california_400_400_1_float.lerc2",
                                         "exr-terrain3d/mountain4.exr", "variants/far_origin_1m_f32.tif"));

TEST(Damage, EnviFilesMayNotBeShort) {
  const Scratch scratch;
  write_file(
      scratch / "a.hdr",
      "ENVI\nsamples = 4\nlines = 4\nbands = 1\nheader offset = 0\ndata type = 4\ninterleave = bsq\nbyte order = 0\n");
  std::string samples;
  for (int i = 0; i < 16; ++i) {
    samples += bytes_of(float(i));
  }
  write_file(scratch / "a.bil", samples);
  EXPECT_EQ(refusal(scratch / "a.bil"), "");
  write_file(scratch / "a.bil", samples.substr(0, 40));
  expect_one_line(refusal(scratch / "a.bil"), "a.bil");
}

TEST(Damage, WordsInAsciiGridsAreNoZeros) {
  const Scratch scratch;
  const std::string header = "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
  write_file(scratch / "a.asc", header + "1 2 3\n4 5 6\n");
  EXPECT_EQ(refusal(scratch / "a.asc"), "");
  write_file(scratch / "a.asc", header + "1 2 abc\n4 5 6\n");
  EXPECT_NE(refusal(scratch / "a.asc").find("row 0, column 2"), std::string::npos) << refusal(scratch / "a.asc");
  write_file(scratch / "a.asc", header + "1 2 3\n4 5 6 7\n");
  expect_one_line(refusal(scratch / "a.asc"), "a.asc");
}

TEST(Damage, MissingFilesFoldersAndForeignFiles) {
  const Scratch scratch;
  expect_one_line(refusal(scratch / "none.tif"), "none.tif");
  expect_one_line(refusal(scratch.folder()), scratch.folder().string());
  write_file(scratch / "notes.txt", "The quick brown fox jumps over the lazy dog.\n");
  expect_one_line(refusal(scratch / "notes.txt"), "notes.txt");
  write_file(scratch / "broken.zip", "PK\3\4 and nothing that follows");
  expect_one_line(refusal(scratch / "broken.zip"), "broken.zip");
}

TEST(Damage, CellsCutShortAreNamedWithTheSizesThatCellsHave) {
  const Scratch scratch;
  write_file(scratch / "N44W072.hgt", std::string(2000, '\1'));
  write_file(scratch / "cell.zip", zip_bytes("N44W072.hgt", std::string(2000, '\1')));
  for (const char* name : {"N44W072.hgt", "cell.zip"}) {
    const std::string message = refusal(scratch / name);
    expect_one_line(message, name);
    EXPECT_NE(message.find("N44W072.hgt"), std::string::npos) << message;
    EXPECT_NE(message.find("2000 bytes, expected 2884802"), std::string::npos) << message;
  }
  write_file(scratch / "N44W072.hgt", std::string(2 * 1201 * 1201, '\1'));
  EXPECT_EQ(refusal(scratch / "N44W072.hgt"), "");
}

// Nobody is called, whatever a file names.
TEST(Damage, NothingIsReadFromANetwork) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(listener, 4), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  setenv("GDAL_HTTP_TIMEOUT", "1", 1);
  const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/a.tif";
  const Scratch scratch;
  for (const std::string prefix : {"", "/vsicurl/"}) {
    write_file(scratch / "a.vrt",
               "<VRTDataset rasterXSize=\"4\" rasterYSize=\"4\"><VRTRasterBand dataType=\"Int16\" band=\"1\">"
               "<SimpleSource><SourceFilename>" +
                   prefix + url +
                   "</SourceFilename><SourceBand>1</SourceBand>"
                   "<SourceProperties RasterXSize=\"4\" RasterYSize=\"4\" DataType=\"Int16\"/>"
                   "<SrcRect xSize=\"4\" ySize=\"4\"/><DstRect xSize=\"4\" ySize=\"4\"/>"
                   "</SimpleSource></VRTRasterBand></VRTDataset>");
    const std::string message = refusal(scratch / "a.vrt");
    expect_one_line(message, "a.vrt");
    EXPECT_NE(message.find(url), std::string::npos) << message;
    EXPECT_NE(message.find("network"), std::string::npos) << message;
    EXPECT_EQ(accept(listener, nullptr, nullptr), -1) << prefix << ": somebody called";
  }
  close(listener);
  unsetenv("GDAL_HTTP_TIMEOUT");
}

TEST(Damage, ColoursAreNoHeights) {
  const Scratch scratch;
  write_file(scratch / "rgb.png", png_bytes(2, 2, 8, 2, std::string(12, 'x')));
  EXPECT_NE(refusal(scratch / "rgb.png").find("--encoding"), std::string::npos);
  write_file(scratch / "palette.png", png_bytes(2, 2, 8, 3, std::string(4, '\1'), png_chunk("PLTE", "abcdef")));
  EXPECT_NE(refusal(scratch / "palette.png").find("palette"), std::string::npos);
}

// B50: sizes are refused before anything of that size is allocated.
TEST(Damage, B50AbsurdSizes) {
  const Scratch scratch;
  write_file(scratch / "a.asc", "ncols 2000000000\nnrows 2000000000\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n");
  expect_one_line(refusal(scratch / "a.asc"), "a.asc");
  write_file(scratch / "b.asc", "ncols 100000\nnrows 100000\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n");
  EXPECT_NE(refusal(scratch / "b.asc").find("cannot hold"), std::string::npos);
  RasterOptions options;
  options.raw = RawLayout{1 << 29, 1 << 29, SampleType::f64, false};  // 2^61 bytes
  write_file(scratch / "c.raw", std::string(64, '\0'));
  expect_one_line(refusal(scratch / "c.raw", options), "c.raw");
  TinyTiff<std::uint8_t> tiff{2, 2, {1, 2, 3, 4}, {}, {}, {}, {}, {}};
  tiff.width = tiff.height = 2000000000;
  write_file(scratch / "d.tif", tiff.bytes());
  expect_one_line(refusal(scratch / "d.tif"), "d.tif");
}

TEST(Damage, RowsOfAHugeVrtWhoseSourcesAreMissing) {
  const auto path = find_test_file("huge-vrt/ap_srtm1.zip");
  auto raster = Raster::open(*path);
  ASSERT_TRUE(raster) << raster.error().message;
  EXPECT_EQ((*raster)->info().width, 1296001);
  EXPECT_EQ((*raster)->info().height, 604801);
}

// B72: a file whose samples are all NaN was read and then used.
TEST(Damage, B72NothingButNanIsSaidToBeNothing) {
  const Scratch scratch;
  TinyTiff<float> tiff{33, 33, std::vector<float>(33 * 33, std::nanf("")), {}, {}, {}, {}, {}};
  write_file(scratch / "nan.tif", tiff.bytes());
  const auto raster = Raster::open(scratch / "nan.tif");
  ASSERT_TRUE(raster);
  const auto statistics = (*raster)->statistics();
  ASSERT_TRUE(statistics);
  EXPECT_EQ(statistics->valid, 0);
  EXPECT_EQ(statistics->missing, 33 * 33);
  EXPECT_TRUE(std::isnan(statistics->min_m) && std::isnan(statistics->max_m));
  EXPECT_EQ(statistics->warnings, std::vector<std::string>{"no sample is valid"});
}

// B69: a blob with a byte of its header set to 0xFF, one after the other, is refused or read, in bounded memory.
TEST(Damage, B69LercHeaders) {
  const Scratch scratch;
  for (const char* name : {"lerc-california/california_400_400_1_float.lerc2", "lerc-california/world.lerc1"}) {
    const std::string whole = read_file(*find_test_file(name));
    for (std::size_t at = 0; at < 60; ++at) {
      std::string damaged = whole;
      damaged[at] = '\xff';
      const Path copy = scratch / ("damaged" + Path(name).extension().string());
      write_file(copy, damaged);
      const std::string message = refusal(copy);
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace arete::test
