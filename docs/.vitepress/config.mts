/** The help site: the documents of this folder, as the service serves them at /help/. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { PAGES } from "./pages.ts";

/** The service puts its own address here. */
const BASE = "/__WEFT_HELP__/";
const decisions = readdirSync(fileURLToPath(new URL("../adr", import.meta.url))).filter((name) => name.endsWith(".md"));

/** Whether a link of a document leads out of this folder, to files that are not on the site. */
function isOutside(address: string, document: string): boolean {
	const ups = /^(?:\.\.\/)*/.exec(address)?.[0].length ?? 0;
	return ups / "../".length >= document.split("/").length;
}

export default defineConfig({
	title: "Weft",
	description: "How to install, use and operate Weft",
	base: BASE,
	cleanUrls: true,
	// Otherwise each page has it inline, and needs another rule for scripts.
	metaChunk: true,
	head: [["link", { rel: "icon", href: `${BASE}../favicon.svg` }]],
	markdown: {
		config(md) {
			// Such a link would lead nowhere: its text stays.
			md.core.ruler.push("outside", ({ tokens, env }) => {
				for (const { children } of tokens) {
					const open: boolean[] = [];
					for (const token of children ?? []) {
						if (token.type === "link_open") open.push(isOutside(String(token.attrGet("href")), env.relativePath));
						const isLink = token.type === "link_open" || token.type === "link_close";
						if (isLink && open.at(-1))
							Object.assign(token, { type: "text", tag: "", attrs: null, content: "", nesting: 0 });
						if (token.type === "link_close") open.pop();
					}
				}
			});
		},
	},
	themeConfig: {
		search: { provider: "local" },
		outline: [2, 3],
		nav: [{ text: "Back to Weft", link: "/../", target: "_self" }],
		sidebar: [
			...PAGES,
			{
				text: "Decisions",
				items: decisions.map((name) => ({
					text: name.slice(5, -3).replaceAll("-", " "),
					link: `/adr/${name.slice(0, -3)}`,
				})),
			},
		].map(({ items, ...group }) => ({ ...group, items: [...items] })),
	},
});
