/** docs/settings.md, from the table of settings. */
import { SETTING_GROUPS, type Setting } from "./settings.ts";

const HEAD = `# Settings

Set them as environment variables. On start Weft reports all invalid settings at once, and names variables that begin with \`WEFT_\` and are
no setting. This page is made by \`npm run openapi\`; a test starts from each example.
`;

export function settingsDocument(): string {
	const groups = SETTING_GROUPS.map(
		({ title, settings }) =>
			`\n## ${title}\n\n| setting | default | meaning | example |\n|---|---|---|---|\n${settings.map(row).join("")}`,
	);
	return HEAD + groups.join("");
}

const row = ({ name, fallback, meaning, example }: Setting): string =>
	`| \`${name}\` | ${fallback} | ${meaning} | \`${example}\` |\n`;
