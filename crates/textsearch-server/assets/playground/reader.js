// Reads whole documents, page by page.

import { request } from "./api.js";
import { appendText, element } from "./text.js";

/** Creates a button that puts each page of the document into `place`; the first replaces what is there. */
export function reader(id, source, place) {
  const more = element("button", { type: "button", class: "quiet" }, "Read on");
  let offset = 0;
  more.addEventListener("click", async () => {
    more.disabled = true;
    const parameters = new URLSearchParams({ source, offset });
    try {
      const { document: page } = await request(`/v1/documents/${encodeURIComponent(id)}?${parameters}`);
      if (offset === 0) place.replaceChildren();
      appendText(place, page.Text);
      offset = page.NextOffset;
      more.textContent = "Next page";
      more.hidden = offset === undefined;
    } catch (error) {
      appendText(place, `\n${error.text ?? error.message}`);
    }
    more.disabled = false;
    place.focus();
  });
  return more;
}
