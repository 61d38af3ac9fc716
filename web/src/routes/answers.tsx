/** Pages of answers: the search for objects, one object, and pictures of the network. */
import { createRoute } from "@tanstack/react-router";
import { pickTextParams } from "../platform/search.ts";
import { loadPage } from "../shell/lazy-page.tsx";
import { app } from "./root.tsx";

export const find = createRoute({
	getParentRoute: () => app,
	path: "/find",
	validateSearch: pickTextParams("q", "connection", "live"),
	component: loadPage(() => import("../areas/answers/find/find.tsx"), "FindPage"),
});
export const object = createRoute({
	getParentRoute: () => app,
	path: "/objects",
	validateSearch: pickTextParams("connection", "dn", "live"),
	component: loadPage(() => import("../areas/answers/objects/object.tsx"), "ObjectPage"),
});
export const pictures = createRoute({
	getParentRoute: () => app,
	path: "/pictures",
	validateSearch: pickTextParams("picture", "connection", "tenant", "at", "hours", "colour", "q"),
	component: loadPage(() => import("../areas/answers/pictures/pictures.tsx"), "PicturesPage"),
});
