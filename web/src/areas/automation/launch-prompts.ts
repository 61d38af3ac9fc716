/** Launch prompts as text fields: their labels, and texts to values and back. Pure. */
import { LAUNCH_PROMPTS, type LaunchPrompt } from "@weft/contracts/browser";

/** Empty: not set. */
export type PromptTexts = Readonly<Record<LaunchPrompt, string>>;

export const PROMPT_LABELS: Readonly<Record<LaunchPrompt, { readonly label: string; readonly hint: string }>> = {
	limit: { label: "Limit", hint: "A host pattern" },
	job_tags: { label: "Job tags", hint: "With commas" },
	skip_tags: { label: "Skip tags", hint: "With commas" },
	verbosity: { label: "Verbosity", hint: "0 to 5" },
	forks: { label: "Forks", hint: "0: as the server has it" },
	timeout: { label: "Timeout", hint: "Seconds; 0: none" },
	diff_mode: { label: "Show changes (diff mode)", hint: "" },
	labels: { label: "Labels", hint: "Ids of the server, with commas" },
	inventory: { label: "Inventory", hint: "Id of the server" },
	execution_environment: { label: "Execution environment", hint: "Id of the server" },
};

const TEXTS: readonly LaunchPrompt[] = ["limit", "job_tags", "skip_tags"];

/** The text of each value; null and absent values are empty. */
export const writePrompts = (values: { readonly [Name in LaunchPrompt]?: unknown }): PromptTexts =>
	Object.fromEntries(LAUNCH_PROMPTS.map((name) => [name, writeValue(values[name])])) as PromptTexts;

function writeValue(value: unknown): string {
	if (value === null || value === undefined) return "";
	return Array.isArray(value) ? value.join(", ") : String(value);
}

/** The value of each text for the API: null where it is empty, the text where it is no value. */
export const readPrompts = (texts: PromptTexts, names: readonly LaunchPrompt[] = LAUNCH_PROMPTS) =>
	Object.fromEntries(names.map((name) => [name, readValue(name, texts[name].trim())]));

function readValue(name: LaunchPrompt, text: string): unknown {
	if (text === "") return null;
	if (TEXTS.includes(name)) return text;
	if (name === "diff_mode") return text === "true";
	if (name !== "labels") return readNumber(text);
	return text
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "")
		.map(readNumber);
}

const readNumber = (text: string): number | string => (/^-?\d+$/.test(text) ? Number(text) : text);
