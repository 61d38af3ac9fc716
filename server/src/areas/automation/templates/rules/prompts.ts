/** Launch prompts of templates and requests: stored without those that are not set. Pure. */
import { LAUNCH_PROMPTS, type LaunchPrompt, type LaunchPromptValues } from "@weft/contracts";

/** Values as a body gives them: absent, null for none, or set. */
export type GivenPrompts = { readonly [Name in LaunchPrompt]?: LaunchPromptValues[Name] | null | undefined };
type ShownPrompts = { readonly [Name in LaunchPrompt]: NonNullable<LaunchPromptValues[Name]> | null };

/** The stored values with those that are given: null removes one, absent leaves it. */
export function mergePrompts(stored: LaunchPromptValues, given: GivenPrompts): LaunchPromptValues {
	const values = LAUNCH_PROMPTS.map((name) => [name, given[name] === undefined ? stored[name] : given[name]] as const);
	return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
}

/** All of them; null where one is not set. */
export const showPrompts = (stored: LaunchPromptValues): ShownPrompts =>
	Object.fromEntries(LAUNCH_PROMPTS.map((name) => [name, stored[name] ?? null])) as ShownPrompts;
