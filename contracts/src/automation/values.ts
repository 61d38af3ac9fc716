/** Constants of automation. */

/** Which kind of template of the automation server a template launches. */
export const AUTOMATION_KINDS = ["job", "workflow"] as const;
export type AutomationKind = (typeof AUTOMATION_KINDS)[number];

/** Fields of a launch that templates set, and may let requesters set. */
export const LAUNCH_PROMPTS = [
	"limit",
	"job_tags",
	"skip_tags",
	"verbosity",
	"forks",
	"timeout",
	"diff_mode",
	"labels",
	"inventory",
	"execution_environment",
] as const;
export type LaunchPrompt = (typeof LAUNCH_PROMPTS)[number];

export const AUTOMATION_LIMITS = {
	/** Bytes of a request that carries rows. */
	body: 50 * 1024 * 1024,
	/** Bytes of an uploaded file of rows. */
	file: 20 * 1024 * 1024,
	rows: 100_000,
	columns: 200,
	sheets: 20,
	values: 50_000,
	choices: 1_000,
	/** Characters of one cell. */
	cell: 32_768,
	/** Labels of a launch. */
	labels: 100,
	/** Characters of a host limit, and of a list of tags. */
	prompt: 1_024,
} as const;
