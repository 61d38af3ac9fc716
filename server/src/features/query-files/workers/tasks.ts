/** Reads and writes files on a thread: YAML of thousands of files would hold the process. */
import type { TaskAnswer } from "../../../platform/workers/serve.ts";
import { type FileDocument, membersOf } from "../domain/documents.ts";
import { type FileResult, readFile } from "../domain/read-file.ts";
import { writeYaml } from "../domain/yaml.ts";

export const queryFileTasks = {
	read: (contents: readonly string[]): TaskAnswer<FileResult[]> => ({ value: contents.map(readFile) }),
	write: (documents: readonly FileDocument[]): TaskAnswer<string[]> => ({
		value: documents.map((document) => writeYaml(membersOf(document))),
	}),
};
export type QueryFileTasks = typeof queryFileTasks;
