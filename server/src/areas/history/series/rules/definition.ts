/** The digest of a definition. */
import { createHash } from "node:crypto";
import type { SeriesDefinition } from "./tally.ts";

/** SHA-256 as hexadecimal digits: equal for equal definitions. */
export const digestDefinition = ({ value, field, groupBy }: SeriesDefinition): string =>
	createHash("sha256")
		.update(JSON.stringify([value, field, groupBy]))
		.digest("hex");
