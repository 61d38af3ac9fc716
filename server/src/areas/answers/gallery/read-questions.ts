/** Reads the questions of a folder, one YAML file each. Each is checked as a saved query is. */
import { readdir, readFile } from "node:fs/promises";
import type { Question } from "@weft/contracts";
import { AppError } from "../../../core/errors.ts";
import { readContent } from "../../queries/flow/index.ts";
import { parseQuestionFile } from "./rules/question-file.ts";

/** Files beside the questions that only tests read. */
const FIXTURE = ".fixture.yaml";
const QUESTION = ".yaml";

/** @param folder URL with a slash at its end */
export async function readQuestions(folder: URL): Promise<readonly Question[]> {
	const names = (await readdir(folder)).filter((name) => name.endsWith(QUESTION) && !name.endsWith(FIXTURE));
	const questions = await Promise.all(names.map((name) => readQuestion(folder, name)));
	return questions.sort((one, other) => (getPlace(one) < getPlace(other) ? -1 : 1));
}

const getPlace = ({ categories, key }: Question): string => `${categories[0]} ${key}`;

/** @throws Error that names the file and the problem */
async function readQuestion(folder: URL, name: string): Promise<Question> {
	const text = await readFile(new URL(name, folder), "utf8");
	try {
		const question = parseQuestionFile(name.slice(0, -QUESTION.length), text);
		const { flow_data, post_processors, variables } = question;
		readContent({ flow_data, post_processors, variables });
		return question;
	} catch (error) {
		const problem = error instanceof AppError ? JSON.stringify(error.body) : String(error);
		throw new Error(`The question ${name} of the gallery is invalid: ${problem}`, { cause: error });
	}
}
