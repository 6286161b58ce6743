// Runs the libraries of the GitOps tools on a cluster, for the tests of this project.
//
//	gitops-check sync    one pass of a Flux Kustomization; reads the request from stdin
//	gitops-check decode  reads objects of Flux's kinds from stdin, strictly
//	gitops-check health  what kstatus and Argo CD say about objects; reads them from stdin
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) != 2 {
		return errors.New("usage: gitops-check sync|decode|health")
	}
	switch command := os.Args[1]; command {
	case "sync":
		return answer(func(request syncRequest) (syncReport, error) { return sync(ctx, request) })
	case "decode":
		return answer(decode)
	case "health":
		return answer(health)
	default:
		return fmt.Errorf("unknown command '%s'", command)
	}
}

// answer reads a request from stdin and writes the reply to stdout, both as JSON.
func answer[Request, Reply any](handle func(Request) (Reply, error)) error {
	var request Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	reply, err := handle(request)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(reply)
}
