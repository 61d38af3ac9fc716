import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const areas = fileURLToPath(new URL("../areas/", import.meta.url));

/** Forms without a draft, by the reason. */
const WITHOUT_DRAFT: Readonly<Record<string, string>> = {
	"accounts/sign-in/login.tsx": "nobody is signed in, and the fields are secrets",
	"accounts/sign-in/reset.tsx": "nobody is signed in, and the fields are secrets",
	"accounts/sign-in/invitation.tsx": "nobody is signed in, and the field is a secret",
	"accounts/sign-in/first-steps.tsx": "passwords and codes",
	"accounts/me/enrolment.tsx": "a code that is valid for seconds",
	"accounts/me/security.tsx": "passwords and codes",
	"accounts/people/user-dialogs.tsx": "a password, and a name that is typed to confirm",
	"fabrics/groups/pivot.tsx": "a filter of the page",
	"fabrics/groups/start.tsx": "starts a run, saves nothing",
	"queries/builder/variables-dialog.tsx": "starts a run, saves nothing",
	"model/imports/start.tsx": "starts an import, saves nothing",
	"answers/find/find.tsx": "the question of the page, which its address keeps",
	"answers/gallery/question.tsx": "starts a run, saves nothing",
	"answers/gallery/save-question.tsx": "a name that the question gives, and a switch",
	"answers/gallery/watch-question.tsx": "a name that the question gives, and choices",
	"checks/mute.tsx": "two choices without text",
	"windows/evidence.tsx": "files, which no draft can keep",
};

it("each form of the pages keeps a draft, or is listed with its reason", () => {
	const files = readdirSync(areas, { encoding: "utf8", recursive: true }).filter((file) => file.endsWith(".tsx"));
	const withForm = files.filter((file) =>
		/<(form|Form|DraftForm|FormDialog)\b/.test(readFileSync(join(areas, file), "utf8")),
	);
	const undrafted = withForm.filter((file) => {
		const text = readFileSync(join(areas, file), "utf8");
		return /<form\b/.test(text) || !/<Drafted\b/.test(text);
	});
	expect(undrafted.sort()).toEqual(Object.keys(WITHOUT_DRAFT).sort());
});
