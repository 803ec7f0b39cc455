// Drives the playground in a browser, and calls the API with a generated client.
// Usage: node check.mjs OPEN_SERVER SERVER_WITH_TOKEN FULL_SERVER ANSWERING_SERVER TOKEN BROWSER [FOLDER_FOR_SCREENSHOTS]

import { checkApi } from "./api.mjs";
import { Browser } from "./browser.mjs";
import { checkConversation, takeConversationScreenshots } from "./conversation.mjs";
import { checkAccess, checkHostile, checkKeyboard, checkSearch, checkShare, checkTemplate } from "./pages.mjs";
import { checkAccessibility, checkFirstPaint, takeScreenshots } from "./looks.mjs";

const [open, closed, full, answering, token, program, screenshots] = process.argv.slice(2);

await checkApi(open, full);
const browser = await Browser.launch(program);
try {
  await checkFirstPaint(browser, open);
  await checkSearch(browser, open);
  await checkTemplate(browser, open);
  await checkShare(browser, open);
  await checkHostile(browser, open);
  await checkKeyboard(browser, open);
  await checkAccess(browser, closed, token);
  await checkConversation(browser, answering, open);
  await checkAccessibility(browser, open, closed, answering);
  if (screenshots) {
    await takeScreenshots(browser, open, screenshots);
    await takeConversationScreenshots(browser, answering, screenshots);
  }
} finally {
  await browser.close();
}
