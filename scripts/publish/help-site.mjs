/** What the help site has inside besides the documents: programs of its generator, each with its licence. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The generator, and what it puts into the scripts of the site. */
export const HELP_PARTS = [
	"vitepress",
	"vue",
	"@vue/reactivity",
	"@vue/runtime-core",
	"@vue/runtime-dom",
	"@vue/shared",
	"@vueuse/core",
	"@vueuse/integrations",
	"@vueuse/shared",
	"focus-trap",
	"mark.js",
	"minisearch",
	"tabbable",
];

/** Writes the licences of the parts into the built site. */
export function writeHelpLicences(root, site) {
	const texts = HELP_PARTS.map((name) => {
		const folder = join(root, "node_modules", name);
		const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
		if (file === undefined) throw new Error(`${name} has no text of its licence.`);
		return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
	});
	writeFileSync(join(site, "LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
}
