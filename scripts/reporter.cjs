// Mocha's spec reporter, closed by one plain line: `N passed, N failed, N skipped`.
const { reporters } = require('mocha');

module.exports = class PlainClose extends reporters.Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    process.stdout.write(
      `${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`,
    );
  }
};
