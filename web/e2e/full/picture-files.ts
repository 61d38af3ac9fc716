/** Names of the pictures of the documents: two files of each drawn screen, one per theme. */
import { PLACES } from "../places.ts";
import { DEMO_PICTURES } from "./demo-pictures.ts";

export const THEMES = ["light", "dark"] as const;

/** The files of a picture, in the order of `THEMES`. */
export const getFiles = (name: string): string[] =>
	THEMES.map((theme) => `${name.replace(/\W+/g, "-").toLowerCase()}-${theme}.png`);

/** The files of all pictures that are drawn. */
export const listPictureFiles = (): string[] =>
	[...PLACES.filter(({ drawn = true }) => drawn), ...DEMO_PICTURES].flatMap(({ name }) => getFiles(name));
