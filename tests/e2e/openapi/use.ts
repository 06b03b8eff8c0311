// Lists resources and asks by the generated client. Usage: node use.js <address of the server>
import { DefaultService, OpenAPI } from "./client";

declare const process: { argv: string[] };

OpenAPI.BASE = process.argv[2];
const { resources } = (await DefaultService.getResources()) as { resources: { name: string }[] };
const answered = await DefaultService.postQuestion({ question: "How are dates parsed?" } as never);
console.log(JSON.stringify({ names: resources.map(({ name }) => name), answer: (answered as { answer: string }).answer }));
