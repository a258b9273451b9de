#include "redact/shapes.hpp"

namespace sbx::redact {
namespace {

#define SBX_UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SBX_LOWER "abcdefghijklmnopqrstuvwxyz"
#define SBX_DIGITS "0123456789"

constexpr ByteSet kLettersDigits(SBX_UPPER SBX_LOWER SBX_DIGITS);
constexpr ByteSet kUpperDigits(SBX_UPPER SBX_DIGITS);
constexpr ByteSet kWithDash(SBX_UPPER SBX_LOWER SBX_DIGITS "-");
constexpr ByteSet kUrlSafe(SBX_UPPER SBX_LOWER SBX_DIGITS "-_");
constexpr ByteSet kWithDot(SBX_UPPER SBX_LOWER SBX_DIGITS "-_.");
constexpr ByteSet kBase64(SBX_UPPER SBX_LOWER SBX_DIGITS "+/=");

constexpr auto kRun = ShapeKind::run;
constexpr auto kExact = ShapeKind::exact;

/// Lengths: what the services document, or what their keys have always had.
constexpr Shape kShapes[] = {
    {"aws", "AKIA", kExact, &kUpperDigits, 16},
    {"aws", "ASIA", kExact, &kUpperDigits, 16},
    {"aws", "ABIA", kExact, &kUpperDigits, 16},
    {"aws", "ACCA", kExact, &kUpperDigits, 16},
    {"aws", "aws_secret_access_key", ShapeKind::assigned, &kBase64, 40},
    {"aws", "AWS_SECRET_ACCESS_KEY", ShapeKind::assigned, &kBase64, 40},
    {"aws", "SecretAccessKey", ShapeKind::assigned, &kBase64, 40},
    {"aws", "secretAccessKey", ShapeKind::assigned, &kBase64, 40},
    {"anthropic", "sk-ant-", kRun, &kUrlSafe, 32},
    {"openai", "sk-proj-", kRun, &kUrlSafe, 32},
    {"openai", "sk-svcacct-", kRun, &kUrlSafe, 32},
    {"openai", "sk-admin-", kRun, &kUrlSafe, 32},
    {"openai", "sk-", kRun, &kLettersDigits, 32},
    {"github", "ghp_", kRun, &kLettersDigits, 36},
    {"github", "gho_", kRun, &kLettersDigits, 36},
    {"github", "ghu_", kRun, &kLettersDigits, 36},
    {"github", "ghs_", kRun, &kLettersDigits, 36},
    {"github", "ghr_", kRun, &kLettersDigits, 36},
    {"github", "github_pat_", kRun, &kUrlSafe, 36},
    {"gitlab", "glpat-", kRun, &kWithDot, 20},
    {"gitlab", "gldt-", kRun, &kWithDot, 20},
    {"gitlab", "glrt-", kRun, &kWithDot, 20},
    {"gitlab", "glcbt-", kRun, &kWithDot, 20},
    {"gitlab", "glptt-", kRun, &kWithDot, 20},
    {"slack", "xoxa-", kRun, &kWithDash, 20},
    {"slack", "xoxb-", kRun, &kWithDash, 20},
    {"slack", "xoxp-", kRun, &kWithDash, 20},
    {"slack", "xoxo-", kRun, &kWithDash, 20},
    {"slack", "xoxs-", kRun, &kWithDash, 20},
    {"slack", "xoxr-", kRun, &kWithDash, 20},
    {"slack", "xapp-", kRun, &kWithDash, 20},
    {"google", "AIza", kExact, &kUrlSafe, 35},
    {"stripe", "sk_live_", kRun, &kLettersDigits, 16},
    {"stripe", "rk_live_", kRun, &kLettersDigits, 16},
    {"npm", "npm_", kRun, &kLettersDigits, 36},
    {"pypi", "pypi-", kRun, &kUrlSafe, 60},
    {"jwt", "eyJ", ShapeKind::jwt, &kWithDot, 8},
    {"pem", "-----BEGIN ", ShapeKind::pem},
};

#undef SBX_UPPER
#undef SBX_LOWER
#undef SBX_DIGITS

}  // namespace

std::span<const Shape> known_shapes() { return kShapes; }

}  // namespace sbx::redact
