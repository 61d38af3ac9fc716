/** Launch prompts against the flags of the server's template (`ask_*_on_launch`). */
import { LAUNCH_PROMPTS, type LaunchPrompt, type ServerTemplateDetail } from "@weft/contracts";

/** The flag that lets a launch set a field. */
const ASKED_AS = {
	limit: "limit",
	job_tags: "tags",
	skip_tags: "skip_tags",
	verbosity: "verbosity",
	forks: "forks",
	timeout: "timeout",
	diff_mode: "diff_mode",
	labels: "labels",
	inventory: "inventory",
	execution_environment: "execution_environment",
} as const satisfies Readonly<Record<LaunchPrompt, keyof ServerTemplateDetail["asks"]>>;

/** Those of the names that the server would ignore, each with the reason. */
export function findUnaskedPrompts(
	{ name, asks }: Pick<ServerTemplateDetail, "name" | "asks">,
	names: readonly string[],
): { readonly name: LaunchPrompt; readonly message: string }[] {
	return LAUNCH_PROMPTS.filter((prompt) => names.includes(prompt) && !asks[ASKED_AS[prompt]]).map((prompt) => ({
		name: prompt,
		message: `The template "${name}" of the automation server does not ask for ${prompt} at launch. Switch it on at the server.`,
	}));
}
