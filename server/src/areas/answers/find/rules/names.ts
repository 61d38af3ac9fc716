/** Names of objects, by which the same object is found on another connection. */
import { compileNumberBeginnings, createNameMatch } from "../../../history/rules/name-match.ts";

/**
 * The match of names that the index has. It has the beginnings of relative names that every release
 * has, as a loaded model may be replaced.
 */
export const nameMatch = createNameMatch(compileNumberBeginnings(null));
