/** The help site: the documents of this folder, as the service serves them at /help/. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { PAGES } from "./pages.ts";

/** The service puts its own address here. */
const BASE = "/__WEFT_HELP__/";
const decisions = readdirSync(fileURLToPath(new URL("../adr", import.meta.url))).filter((name) => name.endsWith(".md"));

/** Links to files of the project that are no documents lead nowhere here: their text stays. */
const isOutside = (address: string): boolean => /^(\.\.\/)+(?!.*\bdocs\/)/.test(address);

export default defineConfig({
	title: "Weft",
	description: "How to install, use and operate Weft",
	base: BASE,
	cleanUrls: true,
	// Otherwise each page has it inline, and needs another rule for scripts.
	metaChunk: true,
	head: [["link", { rel: "icon", href: `${BASE}../favicon.svg` }]],
	ignoreDeadLinks: [(address) => address.startsWith("./../")],
	markdown: {
		config(md) {
			md.core.ruler.push("outside", ({ tokens }) => {
				for (const { children } of tokens) {
					const open: boolean[] = [];
					for (const token of children ?? []) {
						if (token.type === "link_open") open.push(isOutside(String(token.attrGet("href"))));
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
		nav: [{ text: "Back to Weft", link: "../", target: "_self" }],
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
