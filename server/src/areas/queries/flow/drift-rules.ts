/** Checks the drift rules of a query before they are saved. */
import type { DriftRules } from "@weft/contracts";
import { AppError } from "../../../core/errors.ts";
import { createPatternCompiler, PatternError } from "../../../core/regex.ts";

/** @throws 400 under `drift_rules.ignore_dns.<index>` for patterns that RE2 does not know */
export function checkDriftRules({ ignore_dns }: DriftRules): void {
	const compile = createPatternCompiler();
	const errors: Record<string, string[]> = {};
	for (const [index, pattern] of ignore_dns.entries()) {
		try {
			compile(pattern);
		} catch (error) {
			if (!(error instanceof PatternError)) throw error;
			errors[`drift_rules.ignore_dns.${index}`] = [error.message];
		}
	}
	if (Object.keys(errors).length > 0) throw new AppError(400, errors);
}
