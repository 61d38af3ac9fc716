/** The gallery: ready questions about a fabric, each a file of `server/gallery`. */
import type { Question } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import { getPackageFile } from "../../../core/package-files.ts";
import { readQuestions } from "./read-questions.ts";
import { createRoutes } from "./routes.ts";

export interface Gallery {
	readonly routes: BoundRoute[];
	/** All questions, by their first category and then by key. Read when they are first wanted. */
	questions(): Promise<readonly Question[]>;
}

export function createGallery(ctx: Context): Gallery {
	let reading: Promise<readonly Question[]> | null = null;
	return {
		routes: createRoutes(ctx),
		questions() {
			reading ??= readQuestions(getPackageFile("gallery/")).catch((error: unknown) => {
				reading = null;
				throw error;
			});
			return reading;
		},
	};
}
