/** docs/settings.md, from the table of settings. */
import { SETTING_GROUPS } from "./settings.ts";
import type { Setting } from "./settings-sign-in.ts";

const HEAD = `# Settings

Set them as environment variables. On start Weft reports all invalid settings at once, and names variables that begin with \`WEFT_\` and are
no setting. This page is made by \`npm run openapi\`; a test starts from each example.

Secrets can be read from files, such as those that Docker and Kubernetes mount: \`WEFT_SECRET_KEY_FILE=/run/secrets/weft-key\` in place of
\`WEFT_SECRET_KEY\`. The last line break of the file does not count. A change of the file holds after a restart.
`;

export function buildSettingsDocument(): string {
	const groups = SETTING_GROUPS.map(
		({ title, settings }) =>
			`\n## ${title}\n\n| setting | default | meaning | example |\n|---|---|---|---|\n${settings.map(formatRow).join("")}`,
	);
	return HEAD + groups.join("");
}

const formatRow = ({ name, fallback, meaning, example, isSecret }: Setting): string =>
	`| \`${name}\`${isSecret ? `, \`${name}_FILE\`` : ""} | ${fallback} | ${meaning} | \`${example}\` |\n`;
